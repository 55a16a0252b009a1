from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from penstock.cli.management import ManagementApi, asked
from penstock.errors import BadSetting, BrokerRefused, ManagementMissing, NotPermitted

if TYPE_CHECKING:
    from collections.abc import Iterator


class Script(BaseHTTPRequestHandler):
    """Answers as it is told, and remembers what it was asked."""

    protocol_version = "HTTP/1.1"
    status = 200
    answer: Any = None
    hang_up_after = 10_000
    #: What it takes, and goes without an answer.
    mute_to = ""
    asked: list[tuple[str, str, Any]]

    def _respond(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        said = json.loads(self.rfile.read(length)) if length else None
        cls = type(self)
        cls.asked.append((self.command, self.path, said))
        if self.command == cls.mute_to:
            self.close_connection = True
            return
        body = b"" if cls.answer is None else json.dumps(cls.answer).encode()
        self.send_response(cls.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        # The connection is gone, and nobody was told.
        self.close_connection = len(cls.asked) % cls.hang_up_after == 0

    do_GET = do_PUT = do_POST = do_DELETE = _respond  # noqa: N815 (the library's own)

    def log_message(self, *_: Any) -> None:
        """Nobody wants to read it."""


@contextmanager
def scripted(**how: Any) -> Iterator[tuple[ManagementApi, type[Script]]]:
    script = type("Told", (Script,), {"asked": [], **how})
    server = ThreadingHTTPServer(("127.0.0.1", 0), script)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        with asked(f"http://ada:secret@127.0.0.1:{server.server_port}/rabbit") as api:
            yield api, script
    finally:
        server.shutdown()
        server.server_close()


def test_names_are_parts_of_the_path_whatever_they_hold() -> None:
    with scripted() as (api, script):
        api.get("queues", "/", "a/b ?", page=1)
        api.put("users", "é", body={"tags": ""})
        api.delete("queues", "/", "q", **{"if-empty": "true"})
    assert script.asked == [
        ("GET", "/rabbit/api/queues/%2F/a%2Fb%20%3F?page=1", None),
        ("PUT", "/rabbit/api/users/%C3%A9", {"tags": ""}),
        ("DELETE", "/rabbit/api/queues/%2F/q?if-empty=true", None),
    ]


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (401, NotPermitted, "does not let 'ada' in: because"),
        (403, NotPermitted, "user 'ada' may not do that: because"),
        (404, BrokerRefused, "has no queues / q"),
        (400, BrokerRefused, "refuses it .*: because"),
    ],
)
def test_a_refusal_says_why(status: int, error: type[Exception], told: str) -> None:
    with (
        scripted(status=status, answer={"error": "e", "reason": "because"}) as (api, _),
        pytest.raises(error, match=told) as caught,
    ):
        api.get("queues", "/", "q")
    assert "secret" not in str(caught.value)


def test_what_is_not_there_may_be_nothing() -> None:
    with scripted(status=404, answer={}) as (api, _):
        assert api.maybe("users", "ada") is None
    with scripted(status=500, answer={}) as (api, _), pytest.raises(BrokerRefused):
        api.maybe("users", "ada")


def test_nobody_there_is_told_with_what_to_do() -> None:
    with asked("http://127.0.0.1:1") as api, pytest.raises(ManagementMissing, match="penstock up"):
        api.get("overview")


def test_what_is_no_json_is_no_management_api() -> None:
    with scripted(answer="x") as (api, script):
        script.answer = None
        script.status = 200
        assert api.get("overview") is None


@pytest.mark.parametrize("url", ["amqp://h", "localhost:15672", "http://", "http://h:x"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(BadSetting, match="management URL"):
        ManagementApi(url)


def test_a_kept_connection_that_went_is_opened_again() -> None:
    with scripted(answer=[], hang_up_after=1) as (api, script):
        assert [api.get("queues") for _ in range(3)] == [[], [], []]
    assert len(script.asked) == 3


def test_what_may_have_been_done_is_not_done_again() -> None:
    with scripted(answer=[], mute_to="POST") as (api, script):
        api.get("queues")
        with pytest.raises(ManagementMissing):
            api.post("exchanges", "/", "amq.default", "publish", body={})
    assert [verb for verb, _, _ in script.asked] == ["GET", "POST"]


def test_the_broker_is_found_beside_its_api() -> None:
    answer = {"product_name": "Penstock", "listeners": [{"protocol": "amqp", "port": 5999}]}
    with scripted(answer=answer) as (api, script):
        assert api.broker_url("/") == "amqp://ada:secret@127.0.0.1:5999/%2F"
        assert api.is_penstock
    # It is asked once.
    assert len(script.asked) == 1
    with scripted(answer={"product_name": "RabbitMQ"}) as (api, _):
        assert api.broker_url("v").endswith(":5672/v")
        assert not api.is_penstock
