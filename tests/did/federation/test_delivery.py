from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.activities import Request, verify_request
from penstock.did.credentials import SigningKey
from penstock.did.federation.delivery import Delivery
from penstock.did.http import HttpFetcher
from penstock.errors import ActivityRefused, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

NOW = 1_700_000_000.0
KEY = SigningKey.generate()


class Listener(HTTPServer):
    """Answers with the status that the path ends with."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.heard: list[Request] = []
        self.url = f"http://127.0.0.1:{self.server_port}"


class Answering(BaseHTTPRequestHandler):
    server: Listener

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = tuple(self.headers.items())
        self.server.heard.append(Request(method="POST", target=self.path, headers=headers, body=body))
        self.send_response(int(self.path.partition("?")[0].rpartition("/")[2]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def listener() -> Iterator[Listener]:
    with Listener() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def delivery(may_ask: str = "http://127.0.0.1:") -> Delivery:
    http = HttpFetcher(may_ask=lambda url: url.startswith(may_ask), timeout=60)
    return Delivery(key=KEY, key_id="https://a.example/key", clock=VirtualClock(NOW), http=http)


def test_what_is_posted_is_signed(listener: Listener) -> None:
    delivery().deliver(f"{listener.url}/inbox/200?a=b", b"{}")
    (heard,) = listener.heard
    assert (heard.target, heard.body) == ("/inbox/200?a=b", b"{}")
    assert (heard.header("content-type") or "").startswith("application/ld+json")
    signer = verify_request(heard, lambda _: KEY.public, now=NOW, skew=1)
    assert signer == "https://a.example/key"


@pytest.mark.parametrize("status", [200, 201, 202, 204])
def test_what_is_taken_is_taken(listener: Listener, status: int) -> None:
    delivery().deliver(f"{listener.url}/{status}", b"{}")


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (301, ActivityRefused),
        (400, ActivityRefused),
        (401, ActivityRefused),
        (404, ActivityRefused),
        (429, Unavailable),
        (500, Unavailable),
        (503, Unavailable),
    ],
)
def test_a_refusal_is_for_ever_and_a_failure_is_not(
    listener: Listener, status: int, error: type[Exception]
) -> None:
    with pytest.raises(error, match=str(status)):
        delivery().deliver(f"{listener.url}/{status}", b"{}")


def test_nobody_is_told_who_must_not_be_asked(listener: Listener) -> None:
    with pytest.raises(ActivityRefused, match="settings"):
        delivery("https://").deliver(f"{listener.url}/200", b"{}")
    with pytest.raises(ActivityRefused):
        delivery("").deliver("ftp://127.0.0.1/200", b"{}")
    for no_url in ("https://[", "https://a..b/inbox"):
        with pytest.raises(ActivityRefused):
            delivery("").deliver(no_url, b"{}")
    assert not listener.heard


def test_a_domain_that_is_away_may_come_back(listener: Listener) -> None:
    listener.server_close()
    with pytest.raises(Unavailable):
        delivery().deliver(f"{listener.url}/200", b"{}")
