"""With a real HTTP server of the test's own."""

from __future__ import annotations

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import BadSetting, MessagingError
from penstock.messaging.alerts import WebhookSender
from tests.messaging.alerts.recording import PLAIN
from tests.servers.running import HOST, free_port

if TYPE_CHECKING:
    from collections.abc import Iterator


class Hook(HTTPServer):
    """Takes what is posted and answers as it is told."""

    def __init__(self) -> None:
        super().__init__((HOST, 0), Handler)
        self.posted: list[tuple[str, dict[str, str], Any]] = []
        self.status = 204
        self.hold = threading.Event()
        self.hold.set()

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.server_port}/services/sesame"


class Handler(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posted.append((self.path, dict(self.headers), json.loads(body)))
        self.server.hold.wait(10)
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class calls it so
        """Nothing is said."""


@pytest.fixture
def hook() -> Iterator[Hook]:
    with Hook() as hook:
        thread = threading.Thread(target=hook.serve_forever)
        thread.start()
        yield hook
        hook.hold.set()
        hook.shutdown()
        thread.join()


def test_an_alert_is_posted_as_json(hook: Hook) -> None:
    asyncio.run(WebhookSender(hook.url, headers={"X-Team": "backend"}).send(PLAIN))
    ((path, headers, body),) = hook.posted
    assert path == "/services/sesame"
    assert (headers["Content-Type"], headers["X-Team"]) == ("application/json", "backend")
    assert (body["kind"], body["subject"]) == ("exhausted", "commons.Notifications")
    assert "3 messages are dead" in body["text"]


@pytest.mark.parametrize("status", [400, 404, 500])
def test_a_refusal_is_an_error_that_does_not_tell_the_url(hook: Hook, status: int) -> None:
    hook.status = status
    with pytest.raises(MessagingError) as caught:
        asyncio.run(WebhookSender(hook.url).send(PLAIN))
    assert str(caught.value) == f"the webhook at {HOST} answered {status}"
    assert caught.value.__cause__ is None


def test_a_server_that_does_not_answer_is_not_waited_for(hook: Hook) -> None:
    hook.hold.clear()
    sender = WebhookSender(hook.url, timeout=0.05)
    with pytest.raises(MessagingError, match=f"the webhook at {HOST} does not answer: .*timed out") as caught:
        asyncio.run(sender.send(PLAIN))
    assert "sesame" not in f"{caught.value!r} {sender!r}"


def test_nobody_there_is_an_error() -> None:
    with pytest.raises(MessagingError, match=r"does not answer: .*refused"):
        asyncio.run(WebhookSender(f"http://{HOST}:{free_port()}/").send(PLAIN))


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://host/", "hooks.example", "http://"])
def test_only_http_is_posted_to(url: str) -> None:
    with pytest.raises(BadSetting, match="http or https"):
        WebhookSender(url)
