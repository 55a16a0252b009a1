from __future__ import annotations

from contextlib import suppress

import pytest

from penstock.server.amqp.doorway import speaks_http
from penstock.wire.amqp.constants import PROTOCOL_HEADER
from tests.server.http.served import LOOPS, House, heard


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (b"GET / HTTP/1.1", True),
        (b"DELETE /", True),
        (b"G", None),
        (b"DELETE", None),
        (b"P", None),
        (b"A", False),
        (PROTOCOL_HEADER, False),
        (b"\x16\x03\x01", False),
        (b"GEX", False),
        (b"GET\r", False),
        (b"get /", False),
    ],
)
def test_the_first_bytes_tell(first: bytes, expected: bool | None) -> None:  # noqa: FBT001 (a column of the table)
    assert speaks_http(first) is expected


@pytest.mark.parametrize("loop", LOOPS)
def test_both_are_spoken_on_one_port_whole_and_byte_by_byte(loop: str) -> None:
    with House(loop=loop) as house, house.dial() as amqp, house.dial() as http:
        for byte in PROTOCOL_HEADER:
            amqp.sendall(bytes((byte,)))
        assert amqp.recv(100)[:4] == b"\x01\x00\x00\x00"
        for byte in b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n":
            http.sendall(bytes((byte,)))
        assert heard(http).startswith(b"HTTP/1.1 200")
        house.fill("q", [b"x"])


@pytest.mark.parametrize("first", [b"", b"P", b"GET"])
def test_who_does_not_say_enough_is_closed_in_time(first: bytes) -> None:
    with House(handshake_timeout=0.2) as house, house.dial() as line:
        # On a busy machine it may be closed before it has said anything.
        with suppress(ConnectionError):
            line.sendall(first)
            assert line.recv(100) == b""
        house.until(lambda: not house.embedded.front.sessions and not house.embedded.front.visits)


def test_who_speaks_neither_is_told_what_is_spoken() -> None:
    with House() as house:
        assert house.exchange(b"SMTP or what?") == PROTOCOL_HEADER


def test_who_leaves_before_it_has_said_anything_leaves_nothing() -> None:
    with House() as house:
        house.dial().close()
        with house.dial() as line:
            line.sendall(b"DEL")
        house.until(lambda: not house.embedded.front.sessions)
