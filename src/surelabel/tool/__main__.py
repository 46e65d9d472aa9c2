"""`surelabel`, and `python -m surelabel.tool`: the command line."""

import sys


def main() -> None:
    """Do what was typed; the version alone needs no command line."""
    if sys.argv[1:] == ["--version"]:
        from importlib.metadata import version

        sys.stdout.write(f"surelabel {version('surelabel')}\n")
        return
    from .commands import app

    app(prog_name="surelabel")


if __name__ == "__main__":
    main()
