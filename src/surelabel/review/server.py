"""The page and its questions over HTTP: on this machine only, for those who have the address."""

from __future__ import annotations

import json
import secrets
import socket
import threading
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import uvicorn
from jinja2 import Environment, StrictUndefined
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..common.errors import InputError, OutputError
from .desk import NAMES, Desk
from .listing import STATUSES, Wanted

HOST = "127.0.0.1"
# Nothing but the page's own script and style, and no questions but to the page's own server.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_MOST_BYTES = 1_000_000
_STATIC = {"review.js": "text/javascript", "review.css": "text/css", "browse.js": "text/javascript"}


class Guarded:
    """Lets through what names this server as its host, comes from no other page, and has the token.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    port : int
        Of the server.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        self.origins = {f"http://{host}" for host in self.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on; every reply has the headers that keep the page to itself."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        refusal = self._refusal(Request(scope)) if scope["type"] == "http" else "only HTTP is spoken here"
        if refusal is None:
            await self.app(scope, receive, sending)
        elif scope["type"] == "http":
            await PlainTextResponse(f"Refused: {refusal}.\n", 403)(scope, receive, sending)

    def _refusal(self, request: Request) -> str | None:
        if request.headers.get("host") not in self.hosts:
            return "the host of the request is not this server"
        origin = request.headers.get("origin")
        if origin is not None and origin not in self.origins:
            return "the request comes from another page"
        if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return "the request comes from another page"
        if request.method == "POST" and request.headers.get("content-type") != "application/json":
            return "an answer is sent as JSON"
        return None


def application(desk: Desk, token: str, port: int, name: str = "", update: Any = None) -> ASGIApp:
    """The page and its questions.

    Parameters
    ----------
    desk : Desk
        Answers the questions.
    token : str
        In the address; whoever does not know it is refused.
    port : int
        Of the server.
    name : str
        Of the person, unless the page is told another.
    update : Update, optional
        Takes the answers in, where the page can do that: `start()`, and `state()` as a dict.
    """
    questions = _Questions(desk, name, update)
    inner = [
        Route("/", questions.page),
        *(Route(f"/{file}", _static(file)) for file in _STATIC),
        Route("/api/state", _asked(questions.state)),
        Route("/api/next", _asked(questions.next)),
        Route("/api/row", _asked(questions.row)),
        Route("/api/rows", _asked(questions.rows)),
        Route("/api/update", _asked(questions.update_state)),
        *(
            Route(f"/api/{what}", _told(tell), methods=["POST"])
            for what, tell in {
                "answer": questions.answer,
                "skip": questions.skip,
                "undo": questions.undo,
                "update": questions.start_update,
            }.items()
        ),
    ]
    app = Starlette(routes=[Mount(f"/{token}", routes=inner), Route("/{rest:path}", _no_token)])
    return Guarded(app, port)


class _Questions:
    """What the page asks, as functions of its parameters."""

    def __init__(self, desk: Desk, name: str, update: Any) -> None:
        self.desk, self.name, self.changes = desk, name, update

    async def page(self, request: Request) -> Response:
        title = self.desk.subject.title
        html = _template().render(
            title=title, name=self.name, piles=NAMES, statuses=STATUSES, updates=self.changes is not None
        )
        return Response(html, media_type="text/html")

    def state(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return self.desk.state(self._who(given))

    def next(self, given: Mapping[str, Any]) -> dict[str, Any]:
        pile = str(given.get("pile", "ask"))
        row = self.desk.next_row(pile, str(given.get("tab", "")))
        card = None if row is None else self.desk.card(row, pile)
        return {"card": card, "state": self.state(given)}

    def row(self, given: Mapping[str, Any]) -> dict[str, Any]:
        card = self.desk.card(_whole(given, "row"), str(given.get("pile", "browse")))
        return {"card": card, "state": self.state(given)}

    def rows(self, given: Mapping[str, Any]) -> dict[str, Any]:
        texts = {name: str(given.get(name, "")) for name in ("search", "label", "status")}
        order = str(given.get("order", "sure"))
        return self.desk.listed(Wanted(**texts, order=order, page=_whole(given, "page", 0)))

    def answer(self, given: Mapping[str, Any]) -> dict[str, Any]:
        rows, label, seen = given.get("rows"), given.get("label"), given.get("seen")
        if not isinstance(rows, list) or not all(type(row) is int for row in rows):
            raise InputError(f"rows must be a list of whole numbers; it is {rows!r}.")
        if not isinstance(label, str | None) or not isinstance(seen, int | None):
            raise InputError("label must be text or null, and seen a whole number or null.")
        written = self.desk.answer(
            rows,
            label,
            key=str(given.get("key", "")),
            pile=str(given.get("pile", "browse")),
            who=self._who(given),
            seen=seen,
            accept=given.get("accept") is True,
        )
        saved = [{"number": each.number, "row": each.row, "label": each.label} for each in written]
        return {"saved": saved} | self._going_on(given)

    def skip(self, given: Mapping[str, Any]) -> dict[str, Any]:
        self.desk.skip(_whole(given, "row"), str(given.get("tab", "")))
        return self._going_on(given)

    def undo(self, given: Mapping[str, Any]) -> dict[str, Any]:
        number = given.get("number")
        undone = self.desk.undo(
            str(given.get("key", "")) or secrets.token_hex(8),
            self._who(given),
            number if type(number) is int else None,
        )
        if undone is None:
            return {"undone": None, "state": self.state(given)}
        card = self.desk.card(undone.row, undone.pile if undone.pile in NAMES else "browse")
        return {"undone": undone.undoes, "row": undone.row, "card": card, "state": self.state(given)}

    def update_state(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {"possible": False} if self.changes is None else {"possible": True} | self.changes.state()

    def start_update(self, given: Mapping[str, Any]) -> dict[str, Any]:
        if self.changes is None:
            raise InputError("The answers cannot be taken in from this page: call fit with them.")
        self.changes.start()
        return self.update_state(given)

    def _going_on(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return self.next(given) if given.get("next") is True else {"state": self.state(given)}

    def _who(self, given: Mapping[str, Any]) -> str:
        return str(given.get("who", "")) or self.name


def _asked(answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Callable[[Request], Any]:
    """A GET, answered in a thread: sorting and reading take a moment, and others must not wait."""

    async def endpoint(request: Request) -> Response:
        return await _replied(answer, dict(request.query_params))

    return endpoint


def _told(answer: Callable[[Mapping[str, Any]], dict[str, Any]]) -> Callable[[Request], Any]:
    """A POST of a JSON object."""

    async def endpoint(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                return JSONResponse({"error": "That is too much at once."}, 413)
        try:
            given = json.loads(body)
        except ValueError:
            given = None
        if not isinstance(given, dict):
            return JSONResponse({"error": "What was sent is no JSON object."}, 400)
        return await _replied(answer, given)

    return endpoint


async def _replied(
    answer: Callable[[Mapping[str, Any]], dict[str, Any]], given: Mapping[str, Any]
) -> Response:
    try:
        return JSONResponse(await run_in_threadpool(answer, given))
    except InputError as error:
        return JSONResponse({"error": str(error)}, 400)
    except OutputError as error:
        return JSONResponse({"error": str(error)}, 507)


async def _no_token(request: Request) -> Response:
    return PlainTextResponse("Refused: use the whole address that was printed.\n", 403)


def _static(name: str) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        return Response(_own(name), media_type=_STATIC[name])

    return endpoint


@cache
def _own(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


@cache
def _template() -> Any:
    return Environment(autoescape=True, undefined=StrictUndefined).from_string(_own("review.html.j2"))


def _whole(given: Mapping[str, Any], name: str, default: int | None = None) -> int:
    value = given.get(name, default)
    try:
        return int(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a whole number; it is {value!r}.") from None


class Serving:
    """A server in a thread of its own, from `start` to `stop`.

    Parameters
    ----------
    desk : Desk
        Answers the questions.
    port : int, default=0
        Of this machine; 0 for any that is free.
    name : str
        Of the person.
    update : Update, optional
        As in `application`.
    token : str, optional
        In the address; by default a new one.
    """

    def __init__(
        self, desk: Desk, port: int = 0, name: str = "", update: Any = None, token: str | None = None
    ) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            raise InputError(f"Port {port} cannot be used ({error}). Name another: --port.") from error
        self.port: int = self._socket.getsockname()[1]
        token = token or secrets.token_urlsafe(16)
        self.url = f"http://{HOST}:{self.port}/{token}/"
        app = application(desk, token, self.port, name, update)
        config = uvicorn.Config(
            app,
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            http="h11",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=2,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="surelabel review", daemon=True
        )

    def start(self) -> Serving:
        """Begin to answer."""
        self._socket.listen(128)
        self._thread.start()
        return self

    def stop(self) -> None:
        """End, after what is under way."""
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
