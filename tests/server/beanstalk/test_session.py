from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.server.beanstalk import output
from penstock.server.beanstalk import session as module
from penstock.server.beanstalk.verbs import table
from penstock.wire.beanstalk import Verb

if TYPE_CHECKING:
    import pytest

    from tests.server.beanstalk.talk import Client, World


def test_quit_closes_and_what_was_said_before_is_answered(client: Client) -> None:
    assert client.say("list-tube-used", "quit", "list-tube-used") == "USING default"
    assert client.wire.is_over


def test_who_half_closes_hears_the_rest(world: World, client: Client) -> None:
    client.say("reserve", "list-tube-used")
    world.run(client.session.eof_received)
    assert client.hear() == b"TIMED_OUT\r\nUSING default\r\n"
    assert client.wire.is_over


def test_our_own_mistake_is_told_and_concerns_nobody_else(
    client: Client, other: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(table.VERBS, Verb.STATS, fail)
    assert client.say("stats", "list-tube-used") == "INTERNAL_ERROR"
    assert client.wire.is_over
    assert "internal error in <BeanstalkSession 127.0.0.1:5" in caplog.text
    assert other.say("list-tube-used") == "USING default"


def test_a_client_that_never_reads_is_not_worked_for(
    world: World, client: Client, other: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "REPLIES_MOST", 100)
    monkeypatch.setattr(module, "PARKED_MOST", 1000)
    client.put("x" * 60)
    written = client.wire.write

    def write(data: bytes) -> None:
        written(data)
        client.session.pause_writing()

    monkeypatch.setattr(client.wire, "write", write)
    client.send(b"peek 1\r\n" * 1000)
    # It was seen in the midst of a read that the client takes nothing.
    assert len(client.session._commands) - client.session._at == 1000 - 2
    assert client.hear() == b""
    assert client.wire.reads
    client.send(b"peek 1\r\n" * 200)
    assert not client.wire.reads
    assert other.say("list-tube-used") == "USING default"
    monkeypatch.setattr(client.wire, "write", written)
    world.run(client.session.resume_writing)
    assert client.hear().count(b"FOUND") == 1200 - 2
    assert client.wire.reads


def test_what_comes_behind_a_reserve_that_waits_is_bounded(
    world: World, client: Client, other: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PARKED_MOST", 100)
    client.say("reserve")
    client.send(b"peek 1\r\n" * 20)
    assert not client.wire.reads
    other.put()
    assert client.hear().count(b"FOUND") == 20
    assert client.wire.reads


def test_it_shows_what_waits(client: Client) -> None:
    client.say("reserve", "stats")
    assert repr(client.session) == "<BeanstalkSession 127.0.0.1:5, 1 commands wait>"
