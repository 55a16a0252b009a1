from __future__ import annotations

import socket
from contextlib import closing

import pytest

from penstock.cli import ports as module
from penstock.cli.ports import hold_first_free, told_taken
from penstock.errors import CannotListen
from penstock.server.listening import listen
from penstock.settings.address import Address


def free_port() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port: int = tried.getsockname()[1]
        return port


def test_a_port_that_is_held_can_be_listened_on_by_who_reuses_it() -> None:
    with closing(hold_first_free(free_port())) as held:
        assert held.address == f"localhost:{held.port}"
        for _ in range(2):
            for each in listen("amqp", Address("localhost", held.port)):
                each.close()


def test_a_port_that_is_taken_is_passed_over() -> None:
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        port = somebody.getsockname()[1]
        with closing(hold_first_free(port)) as held:
            assert held.port > port
            assert held.passed_over[0] == port


def test_two_that_hold_have_different_ports() -> None:
    with closing(hold_first_free(free_port())) as one:
        for each in listen("amqp", Address("localhost", one.port)):
            with each, closing(hold_first_free(one.port)) as other:
                assert other.port != one.port


def test_after_many_it_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TRIED", 0)
    with (
        socket.create_server(("127.0.0.1", 0)) as somebody,
        pytest.raises(CannotListen, match="already"),
    ):
        hold_first_free(somebody.getsockname()[1])


@pytest.mark.parametrize(
    ("taken", "told"), [([5672], "port 5672 is taken"), ([5672, 5673, 5674], "ports 5672 to 5674 are taken")]
)
def test_one_port_and_several_are_told_apart(taken: list[int], told: str) -> None:
    assert told_taken(taken) == told
