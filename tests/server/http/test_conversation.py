"""Requests good and bad, as a peer sees them: every mistake has a status and one sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from penstock.server.http import conversation
from penstock.server.http.conversation import HEAD_MOST
from penstock.server.http.routes import SAID_MOST, TABLE_MOST
from tests.server.http.served import House, basic, heard

if TYPE_CHECKING:
    from collections.abc import Iterator

GUEST = f"Authorization: {basic('guest', 'guest')}\r\n".encode()
READER = "/api/readers/%2F/q/r"


@pytest.fixture
def own() -> Iterator[House]:
    """A broker of the test's own, which is impatient."""
    with House(handshake_timeout=1.5) as house:
        yield house


def test_a_browser_is_told_what_this_port_is(house: House) -> None:
    answer = house.ask("GET", "/", user=None)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert b"This is a Penstock broker" in answer.body
    head = house.ask("HEAD", "/", user=None)
    assert (head.body, head.headers["content-length"]) == (b"", answer.headers["content-length"])


@pytest.mark.parametrize(
    ("verb", "path", "status", "sentence"),
    [
        ("GET", "/favicon.ico", 404, "there is nothing at /favicon.ico"),
        ("GET", "/api/readers/%2F/q", 404, "there is nothing at"),
        ("POST", "/", 404, "there is nothing at /"),
        ("PATCH", READER, 405, "this path takes PUT, GET, DELETE, not PATCH"),
        ("OPTIONS", "/api/publish/%2F", 405, "this path takes POST, not OPTIONS"),
        ("GET", "/api/readers/nowhere/q/r", 404, "there is no virtual host 'nowhere'"),
        ("GET", "/api/readers/%2F/none/r", 404, "there is no queue 'none'"),
        ("GET", "/%ff", 400, "the request's target cannot be read"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(
    house: House, verb: str, path: str, status: int, sentence: str
) -> None:
    answer = house.ask(verb, path)
    assert answer.status == status
    assert answer.json["error"].startswith(sentence)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n", 400),
        (b"GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET HTTP/1.1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"a" * HEAD_MOST, 431),
        (b"GET /" + b"a" * 2 * HEAD_MOST, 431),
        (b"POST " + READER.encode() + b"/lease HTTP/1.1\r\nHost: x\r\n" + GUEST
         + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
    ],
)  # fmt: skip
def test_what_is_no_http_is_answered_and_the_connection_ends(house: House, said: bytes, status: int) -> None:
    house.fill("q", [])
    house.ask("PUT", READER)
    answer = house.exchange(said)
    assert re.match(rb"HTTP/1.1 (\d+)", answer), answer
    assert int(answer[9:12]) == status
    assert b'{"error": "' in answer
    assert house.ask("GET", "/").status == 200


def test_garbage_never_stops_the_others(house: House) -> None:
    for junk in (b"GET " + bytes(range(256)), b"PUT \r\n\r\n\r\n", b"HEAD / HTTP/1.1\r\nHost:\r\n" * 10):
        with house.dial() as line:
            line.sendall(junk)
    assert house.ask("GET", "/").status == 200


def test_a_peer_that_dawdles_over_its_head_is_closed(own: House) -> None:
    with own.dial() as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nA: b")
        assert heard(line) == b""


def test_a_peer_that_asks_nothing_more_is_closed(own: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "IDLE_IN", 0.2)
    with own.dial() as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert heard(line).startswith(b"HTTP/1.1 200")


def test_a_peer_that_dawdles_over_its_body_is_told_and_closed(
    own: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "REQUEST_IN", 0.2)
    with own.dial() as line:
        line.sendall(
            b"POST /api/publish/%2F HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n" + GUEST + b"\r\n12345"
        )
        answer = heard(line)
    assert answer.startswith(b"HTTP/1.1 503")
    assert b"connection: close" in answer.lower()


@pytest.mark.parametrize(("path", "most"), [("/api/publish/%2F", TABLE_MOST), (f"{READER}/take", SAID_MOST)])
def test_a_body_beyond_the_limit_is_refused_before_it_is_read(house: House, path: str, most: int) -> None:
    says = b"POST %s HTTP/1.1\r\nHost: x\r\n%b" % (path.encode(), GUEST)
    assert house.exchange(says + b"Content-Length: %d\r\n\r\n" % (most + 1)).startswith(b"HTTP/1.1 413")
    with house.dial() as line:
        # Who does not say how much it is going to be is stopped when it is too much.
        line.sendall(says + b"Transfer-Encoding: chunked\r\n\r\n")
        chunk = b"%x\r\n%b\r\n" % (SAID_MOST, bytes(SAID_MOST))
        for _ in range(most // SAID_MOST + 1):
            line.sendall(chunk)
        assert heard(line).startswith(b"HTTP/1.1 413")


def test_who_is_refused_in_the_middle_of_a_large_body_hears_why(house: House) -> None:
    answer = house.ask("POST", "/api/publish/%2F", bytes(8 * 1024 * 1024), user="nobody")
    assert (answer.status, answer.headers["connection"]) == (401, "close")


def test_who_is_refused_and_goes_on_with_nonsense_hears_why_too(house: House) -> None:
    said = b"POST /api/publish/%2F HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n"
    assert house.exchange(said).startswith(b"HTTP/1.1 401")


def test_who_asks_before_it_sends_is_told_to_go_on(house: House) -> None:
    with house.dial() as line:
        line.sendall(
            b"POST /api/publish/%2F HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nConnection: close\r\n"
            b"Expect: 100-continue\r\n" + GUEST + b"\r\n"
        )
        assert line.recv(1000).startswith(b"HTTP/1.1 100")
        line.sendall(b"x")
        assert heard(line).startswith(b"HTTP/1.1 400")


def test_http_1_0_is_answered_and_closed(house: House) -> None:
    assert house.exchange(b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 200")


def test_a_mistake_of_ours_costs_its_own_connection_only(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(conversation, "find", lambda *_: 1 / 0)
    assert house.ask("GET", "/x").json == {"error": "internal error; the broker's log says more", "kind": ""}
    assert "internal error" in caplog.text
    monkeypatch.undo()
    assert house.ask("GET", "/x").status == 404
