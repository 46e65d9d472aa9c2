"""Fill in the missing labels of a table and say which of them to trust."""

from typing import Any

import lazy_loader

# The public names are those of __init__.pyi; what has them is imported when one is first used.
_public, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """A public name, or the version, when it is first used."""
    if name != "__version__":
        return _public(name)
    from importlib.metadata import version

    return version("surelabel")


def __dir__() -> list[str]:
    """The public names."""
    return [*__all__, "__version__"]
