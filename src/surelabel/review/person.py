"""A simulated person, who knows the truth and uses the page's own questions over HTTP."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

_PATIENCE = 60.0


class Person:
    """Somebody at the page.

    Parameters
    ----------
    url : str
        The address of the page.
    name : str
        Kept with the answers.
    """

    def __init__(self, url: str, name: str = "simulated") -> None:
        self.url, self.name, self.tab = url, name, secrets.token_hex(4)
        self._opener = build_opener(ProxyHandler({}))  # the page is on this machine: no proxy is asked

    def ask(self, what: str, **given: Any) -> dict[str, Any]:
        """A question of the page."""
        query = urlencode({"who": self.name, "tab": self.tab, **given})
        return self._replied(Request(f"{self.url}api/{what}?{query}"))

    def tell(self, what: str, **given: Any) -> dict[str, Any]:
        """Something that the page tells."""
        told = {"key": secrets.token_hex(16), "who": self.name, "tab": self.tab, **given}
        headers = {"Content-Type": "application/json"}
        return self._replied(Request(f"{self.url}api/{what}", json.dumps(told).encode(), headers))

    def _replied(self, request: Request) -> dict[str, Any]:
        with self._opener.open(request, timeout=_PATIENCE) as reply:
            return dict(json.loads(reply.read()))


def answer_pile(url: str, truth: Sequence[str], pile: str, n: int, name: str = "simulated") -> int:
    """Answer rows of a pile as they come, from the truth; how many there were.

    Parameters
    ----------
    url : str
        The address of the page.
    truth : sequence of str
        The class of each row.
    pile : str
        Which pile; of "browse", which has no next row, the first rows of the list.
    n : int
        Most rows.
    name : str
        Of the person.
    """
    person = Person(url, name)
    found = person.ask("next", pile=pile)
    done = 0
    while found["card"] is not None and done < n:
        row, seen = found["card"]["row"], found["card"]["seen"]
        found = person.tell("answer", rows=[row], label=truth[row], pile=pile, seen=seen, next=done + 1 < n)
        found.setdefault("card", None)
        done += 1
    return done
