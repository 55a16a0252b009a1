from __future__ import annotations

import socket
from typing import Any

import pytest

from penstock.did.http.dialing import MOST, dial
from penstock.errors import ContentNotFound, Unavailable


def leading_to(*addresses: str) -> Any:
    return lambda *_, **__: [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 7)) for each in addresses]


def test_it_is_the_address_that_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", leading_to("127.0.0.1", "127.0.0.2"))
    asked: list[tuple[str, int, str]] = []

    def never(host: str, port: int, address: str) -> bool:
        asked.append((host, port, address))
        return False

    with pytest.raises(ContentNotFound, match=r"innocent\.example is at 127\.0\.0\.1"):
        dial("innocent.example", 7, 1.0, never)
    assert asked == [("innocent.example", 7, "127.0.0.1"), ("innocent.example", 7, "127.0.0.2")]


def test_all_addresses_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[str, float | None]] = []

    class Silent(socket.socket):
        def connect(self, address: Any) -> None:
            tried.append((address[0], self.gettimeout()))
            raise TimeoutError("timed out")

    monkeypatch.setattr(socket, "getaddrinfo", leading_to(*(f"203.0.113.{last}" for last in range(100))))
    monkeypatch.setattr(socket, "socket", Silent)
    with pytest.raises(TimeoutError):
        dial("many.example", 7, 10.0)
    assert [address for address, _ in tried] == [f"203.0.113.{last}" for last in range(MOST)]
    assert sum(seconds or 0 for _, seconds in tried) == pytest.approx(10.0)


def test_the_first_that_answers_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            addresses = [
                (socket.AF_INET, socket.SOCK_STREAM, 6, "", each)
                for each in (closed.getsockname(), ("127.0.0.1", port))
            ]
            monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)
            with dial("b.example", port, 60.0) as connection:
                assert connection.getpeername() == ("127.0.0.1", port)
                assert connection.gettimeout() == 60.0


def test_an_address_that_is_not_asked_now_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        addresses = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("203.0.113.1", "127.0.0.1")
        ]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: addresses)

        def begin(address: str, _: int) -> None:
            if address != "127.0.0.1":
                raise Unavailable(f"{address} has kept us waiting")

        with dial("b.example", port, 60.0, begin=begin) as connection:
            assert connection.getpeername() == ("127.0.0.1", port)
        del addresses[1]
        with pytest.raises(Unavailable, match=r"203\.0\.113\.1 has kept us waiting"):
            dial("b.example", port, 60.0, begin=begin)
