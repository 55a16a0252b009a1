"""The panel before a broker elsewhere, whose answers are played here; a real RabbitMQ is in test_panel.py."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import BrokerUrl
from penstock.messaging.topology.management import Management
from penstock.panel.elsewhere import ElsewhereDesk
from penstock.panel.elsewhere import desk as module
from penstock.panel.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

PLACE = Management.parse("http://rabbit.example:15672", BrokerUrl.parse("amqp://h/"))
GUEST = {"authorization": f"Basic {b64encode(b'guest:guest').decode()}"}


class Elsewhere:
    """The other server: what it is asked, and what it says."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, bytes]] = []
        self.whoami = Reply(body=b'{"name":"guest","tags":["administrator","unheard-of"]}')

    async def hand_on(
        self, _place: Management, verb: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Reply:
        self.asked.append((verb, path, body))
        if path == "/api/whoami":
            return self.whoami
        return Reply(body=b'{"said":"hello"}')


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    made = Elsewhere()
    monkeypatch.setattr(module, "hand_on", made.hand_on)
    return made


def asked(
    path: str, *, verb: str = "GET", headers: Mapping[str, str] | None = None, body: bytes = b""
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer."""
    target, _, query = path.partition("?")
    told = {"host": "panel.example", **(headers or {})}
    scope: dict[str, Any] = {
        "type": "http",
        "method": verb,
        "scheme": "http",
        "path": target,
        "raw_path": target.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in told.items()],
        "server": ("panel.example", 80),
    }
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(ElsewhereDesk(PLACE)(scope, receive, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(each.get("body", b"") for each in sent[1:])


def test_questions_are_handed_on_as_they_were_asked(elsewhere: Elsewhere) -> None:
    status, headers, body = asked("/api/queues/%2F/a%2Fb?columns=name", headers=GUEST)
    assert (status, json.loads(body)) == (200, {"said": "hello"})
    assert headers["cache-control"] == "no-store"
    asked("/api/queues/%2F/q", verb="PUT", headers=GUEST, body=b"{}")
    assert elsewhere.asked == [
        ("GET", "/api/queues/%2F/a%2Fb?columns=name", b""),
        ("PUT", "/api/queues/%2F/q", b"{}"),
    ]


def test_pages_are_made_here_for_whom_the_broker_knows(elsewhere: Elsewhere) -> None:
    status, headers, body = asked("/queues", headers=GUEST)
    assert status == 200
    assert b"<title>Queues" in body
    assert b"guest" in body
    assert "script-src 'self'" in headers["content-security-policy"]


def test_who_is_not_known_is_asked_for_a_password(elsewhere: Elsewhere) -> None:
    assert asked("/queues")[1]["www-authenticate"].startswith("Basic")
    elsewhere.whoami = Reply(status=401)
    assert asked("/", headers=GUEST)[0] == 401
    assert asked("/logout", verb="POST", headers=GUEST)[0] == 401
    assert asked("/login")[1]["location"] == "/"


def test_what_only_penstock_can_tell_is_not_there(elsewhere: Elsewhere) -> None:
    status, _, body = asked("/api/penstock/dead-letters", headers=GUEST)
    assert status == 404
    assert "cannot tell" in json.loads(body)["reason"]
    assert elsewhere.asked == []


@pytest.mark.parametrize(
    "headers",
    [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.example"}],
)
def test_a_change_that_another_sites_page_asks_for_is_refused(
    elsewhere: Elsewhere, headers: dict[str, str]
) -> None:
    assert asked("/api/queues/%2F/q", verb="DELETE", headers={**GUEST, **headers})[0] == 403
    assert elsewhere.asked == []
    own = {"sec-fetch-site": "same-origin", "origin": "http://panel.example"}
    assert asked("/api/queues/%2F/q", verb="DELETE", headers={**GUEST, **own})[0] == 200


def test_a_path_that_is_none_and_a_body_that_is_too_large(
    elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked("/nowhere/at/all/of/it", headers=GUEST)[0] == 404
    monkeypatch.setattr(module, "BODY_MOST", 3)
    assert asked("/api/definitions", verb="POST", headers=GUEST, body=b"12345")[0] == 413


def test_the_live_socket_is_closed(elsewhere: Elsewhere) -> None:
    sent: list[Any] = []

    async def story() -> None:
        async def send(message: Any) -> None:
            sent.append(message)

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        await ElsewhereDesk(PLACE)({"type": "websocket"}, receive, send)

    asyncio.run(story())
    assert sent[0]["type"] == "websocket.close"
