"""`python -m surelabel.tool`: the command line without its script."""

from .app import app

app(prog_name="surelabel")
