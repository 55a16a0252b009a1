from __future__ import annotations

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from penstock.client import BrokerUrl
from penstock.messaging.topology.management import Management
from penstock.panel.elsewhere import handing
from penstock.panel.elsewhere.handing import hand_on
from penstock.panel.replies import ApiFault

URL = BrokerUrl.parse("amqp://guest:guest@h/")


class Echo(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        said = self.rfile.read(int(self.headers["Content-Length"]))
        body = f"{self.path} {sorted(self.headers.keys())} ".encode() + said
        self.send_response(418)
        self.send_header("Content-Type", "text/tea")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody wants to read it."""


def test_status_kind_and_body_come_back_and_only_what_matters_goes() -> None:
    with HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        place = Management.parse(f"http://127.0.0.1:{server.server_port}/rabbit", URL)
        headers = {"authorization": "Basic x", "cookie": "secret", "content-type": "text/plain"}
        reply = asyncio.run(hand_on(place, "POST", "/api/x?y=1", headers, b"hello"))
        thread.join()
    assert (reply.status, reply.kind) == (418, "text/tea")
    assert reply.body.startswith(b"/rabbit/api/x?y=1 ")
    assert reply.body.endswith(b"hello")
    assert b"cookie" not in reply.body
    assert b"authorization" in reply.body


def test_a_server_that_is_away_is_told() -> None:
    place = Management.parse("http://127.0.0.1:1", URL)
    with pytest.raises(ApiFault, match="does not answer"):
        asyncio.run(hand_on(place, "GET", "/api/overview", {}, b""))


def test_an_answer_without_end_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handing, "ANSWER_MOST", 100)
    with HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        place = Management.parse(f"http://127.0.0.1:{server.server_port}", URL)
        with pytest.raises(ApiFault, match="more than 100 bytes: ask for a page"):
            asyncio.run(hand_on(place, "POST", "/", {}, b"x" * 200))
        thread.join()
