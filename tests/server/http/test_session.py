"""The socket: both loops, keep-alive, half-closed connections, peers that do not read, and the end."""

from __future__ import annotations

import socket
import ssl
import time
from http.client import HTTPConnection
from typing import TYPE_CHECKING

import pytest

from penstock.server.http import session
from penstock.server.http.session import _joined
from tests.server.certified import Authority
from tests.server.http.served import LOOPS, House, basic, heard

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.broker.page import Part

ASK = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
RANGE = "/api/readers/%2F/q/r/range?start=0&end=100"


@pytest.fixture(params=LOOPS)
def either(request: pytest.FixtureRequest) -> Iterator[House]:
    """A broker of the test's own, on either loop."""
    with House(loop=request.param) as house:
        yield house


def taken(house: House, bodies: list[bytes]) -> None:
    """A reader `r` of a queue `q` that has taken these."""
    house.fill("q", bodies)
    assert house.ask("PUT", "/api/readers/%2F/q/r").status == 200
    said = {"rows": len(bodies), "size": 1 << 40, "holder": ""}
    assert house.ask("POST", "/api/readers/%2F/q/r/take", said).json == {"taken": len(bodies)}


def test_a_connection_is_kept_for_the_next_request(either: House) -> None:
    line = HTTPConnection("127.0.0.1", either.port, timeout=60)
    for _ in range(3):
        line.request("GET", "/")
        assert line.getresponse().read().startswith(b"This is a Penstock broker")
    assert either.do(lambda: len(either.embedded.front.visits)) == 1
    line.close()
    either.until(lambda: not either.embedded.front.visits)


def test_a_request_may_come_byte_by_byte_and_the_next_before_its_answer(either: House) -> None:
    with either.dial() as line:
        for byte in ASK + ASK[:-2]:
            line.sendall(bytes((byte,)))
        line.sendall(b"Connection: close\r\n\r\n")
        assert heard(line).count(b"HTTP/1.1 200") == 2


def test_who_closes_its_half_hears_the_answer(either: House) -> None:
    with either.dial() as line:
        line.sendall(ASK)
        line.shutdown(socket.SHUT_WR)
        assert heard(line).startswith(b"HTTP/1.1 200")


def test_a_range_comes_whole_and_amqp_goes_on_beside_it(either: House) -> None:
    taken(either, [bytes((number,)) * 50_000 for number in range(100)])
    answer = either.ask("GET", RANGE)
    assert (answer.status, answer.headers["transfer-encoding"]) == (200, "chunked")
    assert answer.body.count(b"\x63" * 50_000) == 1
    either.fill("other", [b"x"])


def test_who_goes_in_the_middle_of_a_range_is_forgotten(either: House) -> None:
    taken(either, [bytes(60_000)] * 100)
    with either.dial() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.sendall(f"GET {RANGE} HTTP/1.1\r\nHost: x\r\n".encode())
        line.sendall(f"Authorization: {basic('guest', 'guest')}\r\n\r\n".encode())
        assert line.recv(1000).startswith(b"HTTP/1.1 200")
    either.until(lambda: not either.embedded.front.visits)
    assert either.ask("GET", "/").status == 200


def test_who_takes_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch, either: House) -> None:
    monkeypatch.setattr(session, "STALLED_IN", 0.2)
    taken(either, [bytes(60_000)] * 400)
    with either.dial() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        said = f"GET {RANGE.replace('100', '400')} HTTP/1.1\r\nHost: x\r\n"
        line.sendall(f"{said}Authorization: {basic('guest', 'guest')}\r\n\r\n".encode())
        either.until(lambda: either.embedded.front.visits)
        either.until(lambda: not either.embedded.front.visits)


def test_a_range_that_nobody_takes_is_not_made(either: House) -> None:
    taken(either, [bytes(60_000)] * 400)
    reads: list[int] = []
    reader = either.host.readers.get("q", "r")
    original = reader.read

    async def read(start: int, end: int, front: int) -> list[Part]:
        reads.append(end)
        return await original(start, end, front)

    reader.read = read  # type: ignore[method-assign]
    with either.dial() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        said = f"GET {RANGE.replace('100', '400')} HTTP/1.1\r\nHost: x\r\n"
        line.sendall(f"{said}Authorization: {basic('guest', 'guest')}\r\n\r\n".encode())
        either.until(lambda: reads)
        time.sleep(0.3)
        # 24 MB wait; what is made fits the sockets' own buffers, and a little more.
        assert max(reads) < 350


@pytest.mark.parametrize("loop", LOOPS)
def test_tls_is_the_same(loop: str, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    certificate, key = authority.issue("localhost")
    tls = ssl.create_default_context(cafile=str(authority.file))
    with House(loop=loop, amqps_certificate=certificate, amqps_key=key) as house:
        assert house.ask("GET", "/", tls=tls).status == 200
        assert house.ask("PUT", "/api/readers/%2F/q/r", tls=tls).status == 404
        assert house.ask("PUT", "/api/readers/%2F/q/r", b"x" * 70_000, tls=tls, user="x").status == 401


def test_connections_of_both_kinds_count_together() -> None:
    with House(max_connections=2) as house, house.dial() as first, house.dial() as second:
        for line in (first, second):
            line.sendall(ASK)
            assert line.recv(1000)
        with house.dial() as third:
            assert is_cut(third)


def is_cut(line: socket.socket) -> bool:
    try:
        line.sendall(ASK)
        return line.recv(1000) == b""
    except ConnectionError:
        return True


def test_a_broker_that_stops_finishes_what_it_answers_and_closes_the_rest() -> None:
    with House() as house, house.dial() as idle, house.dial() as busy:
        idle.sendall(ASK)
        assert idle.recv(1000).startswith(b"HTTP/1.1 200")
        taken(house, [bytes(60_000)] * 100)
        busy.sendall(f"GET {RANGE} HTTP/1.1\r\nHost: x\r\n".encode())
        busy.sendall(f"Authorization: {basic('guest', 'guest')}\r\n\r\n".encode())
        begun = busy.recv(100)
        for visit in list(house.embedded.front.visits):
            house.loop.call_soon_threadsafe(visit.end)
        assert heard(idle) == b""
        assert (begun + heard(busy)).endswith(b"0\r\n\r\n")


def test_what_says_what_it_is() -> None:
    with House() as house, house.dial() as line:
        line.sendall(ASK)
        line.recv(1000)
        [visit] = house.do(lambda: list(house.embedded.front.visits))
        name = "{}:{}".format(*line.getsockname())
        assert repr(visit) == f"<HttpSession {name}, <Conversation idle>>"


def test_small_pieces_are_joined_and_large_ones_left_alone() -> None:
    large = memoryview(bytes(5000))
    joined = _joined([b"a", b"b", large, b"c", large, large, b"d"])
    assert [bytes(piece) for piece in joined] == [b"ab", large, b"c", large, large, b"d"]
    assert joined[1] is large
