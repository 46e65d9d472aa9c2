"""The two errors that files raise, and the words that messages share."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

_SHOWN = 20
_LISTED = 3


class InputError(ValueError):
    """A file, a column or a setting that cannot be used; the message says what to do."""


class OutputError(OSError):
    """A file that could not be written; what was there before is untouched."""


def did_you_mean(name: str, names: Iterable[str]) -> str | None:
    """The name nearest to a misspelt one, or None if none is near.

    Parameters
    ----------
    name : str
        The name as it was given.
    names : iterable of str
        The names there are.

    Examples
    --------
    >>> did_you_mean("speceis", ["width", "species"])
    'species'
    >>> did_you_mean("Species ", ["width", "species"])
    'species'
    >>> did_you_mean("colour", ["width", "species"])
    """
    folded: dict[str, str] = {}
    for known in names:
        folded.setdefault(str(known).strip().casefold(), known)
    near = difflib.get_close_matches(str(name).strip().casefold(), list(folded), n=1)
    return folded[near[0]] if near else None


def no_such(what: str, name: str, names: Iterable[str]) -> InputError:
    """The error for a name that is not among those there are."""
    names = list(names)
    near = did_you_mean(name, names)
    hint = f"; did you mean {near!r}?" if near is not None else "."
    shown = ", ".join(map(str, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")
    return InputError(f"No {what} {name!r}{hint} {what.capitalize()}s: {shown}.")


def listed(names: Sequence[str]) -> str:
    """The first few names, and how many more there are.

    Parameters
    ----------
    names : sequence of str
        At least one.

    Examples
    --------
    >>> listed(["A1", "A2", "A3"])
    'A1, A2 and A3'
    >>> listed(["A1", "A2", "A3", "A4", "A5"])
    'A1, A2, A3 and 2 more'
    """
    if len(names) > _LISTED + 1:
        return f"{', '.join(names[:_LISTED])} and {len(names) - _LISTED:,} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
