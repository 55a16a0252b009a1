"""Asking an application without a socket, and a domain's pages on paper."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from sqlalchemy import event
from starlette.applications import Starlette

from penstock.did.web.answers import HANDLERS
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.routing import Route

    from penstock.did.database import DomainDatabase


def writings(database: DomainDatabase) -> list[str]:
    """Filled from now on with the beginnings of transactions that write, and have others wait who write."""
    begun: list[str] = []

    def listen(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        begun.extend([statement] if statement == "BEGIN IMMEDIATE" else [])

    event.listen(database.engine, "before_cursor_execute", listen)
    return begun


@dataclass
class Answer:
    """What came back."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def ask(
    routes: Sequence[Route],
    method: str,
    target: str,
    *,
    body: bytes | Sequence[bytes] = b"",
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Ask an application of these routes, in one request; a body may come in pieces."""
    application = Starlette(routes=routes, exception_handlers=HANDLERS)
    found: Answer = run(asked(application, method, target, body, headers))
    return found


async def asked(
    application: Starlette,
    method: str,
    target: str,
    body: bytes | Sequence[bytes] = b"",
    headers: Mapping[str, str] | None = None,
) -> Answer:
    pieces = [body] if isinstance(body, bytes) else list(body)
    path, _, query = target.partition("?")
    given = {"host": "a.example", **(headers or {})}
    if isinstance(body, bytes):
        given.setdefault("content-length", str(len(body)))
    answer = Answer()

    async def receive() -> dict[str, Any]:
        if not pieces:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    async def send(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            answer.body += message.get("body", b"")

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "https",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in given.items()],
        "server": ("a.example", 443),
    }
    try:
        await application(scope, receive, send)
    except RuntimeError:
        # Raised once more for the server's log, after the answer.
        if not answer.status:
            raise
    return answer
