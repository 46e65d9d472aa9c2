"""`python -m surelabel.tool`: the command line without its script."""

from .commands import app

if __name__ == "__main__":
    app(prog_name="surelabel")
