from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.server.amqp.heartbeat import Heartbeat
from penstock.wire.amqp import HEARTBEAT_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.amqp.talk import Client, World


@pytest.fixture
def heartbeat(client: Client, world: World) -> Iterator[Heartbeat]:
    """A heartbeat that looks when the test says so."""

    heartbeat = client.session.heartbeat
    world.run(lambda: heartbeat.start(60))
    yield heartbeat
    heartbeat.stop()


def look(world: World, heartbeat: Heartbeat, times: int = 1) -> None:
    async def looking() -> None:
        for _ in range(times):
            heartbeat._look()

    world.loop.run_until_complete(looking())


def test_it_looks_twice_an_interval(heartbeat: Heartbeat, world: World) -> None:
    handle = heartbeat._handle
    assert handle is not None
    assert 29 < handle.when() - world.loop.time() <= 30
    heartbeat.stop()
    assert handle.cancelled()
    heartbeat.stop()


def test_none_was_agreed(client: Client) -> None:
    heartbeat = Heartbeat(client.session)
    heartbeat.start(0)
    assert heartbeat._handle is None


def test_a_silent_client_is_dead_after_two_intervals(
    client: Client, heartbeat: Heartbeat, world: World
) -> None:
    look(world, heartbeat, 5)  # the first look hears what opened the connection
    assert not client.wire.is_over
    look(world, heartbeat)
    assert client.wire.is_over


def test_any_byte_is_a_sign_of_life(client: Client, heartbeat: Heartbeat, world: World) -> None:
    for _ in range(10):
        look(world, heartbeat)
        world.run(lambda: client.session.data_received(HEARTBEAT_BYTES))
    assert not client.wire.is_over


def test_who_has_nothing_to_say_beats(client: Client, heartbeat: Heartbeat, world: World) -> None:
    look(world, heartbeat)
    client.wire.written.clear()
    look(world, heartbeat)
    assert client.wire.written == [HEARTBEAT_BYTES]
    client.session.write(b"something")
    client.wire.written.clear()
    look(world, heartbeat)
    assert client.wire.written == []


def test_who_is_not_read_from_is_not_dead(client: Client, heartbeat: Heartbeat, world: World) -> None:
    client.session.hold(client.session.BLOCKED)
    look(world, heartbeat, 20)
    assert not client.wire.is_over


def test_who_sends_and_does_not_read_is_dead(client: Client, heartbeat: Heartbeat, world: World) -> None:
    client.session.pause_writing()
    client.wire.written.clear()
    client.wire.unsent = 1000
    for _ in range(6):
        assert not client.wire.is_over
        heartbeat.heard()
        look(world, heartbeat)
    assert client.wire.is_over
    assert client.wire.written == []  # it would not have read those either


def test_who_reads_slowly_is_not_dead(client: Client, heartbeat: Heartbeat, world: World) -> None:
    client.session.pause_writing()
    for left in range(1000, 900, -5):
        client.wire.unsent = left
        heartbeat.heard()
        look(world, heartbeat)
    assert not client.wire.is_over
    assert isinstance(heartbeat._handle, asyncio.TimerHandle)


def test_who_reads_slowly_and_gets_ever_more_is_not_dead(
    client: Client, heartbeat: Heartbeat, world: World
) -> None:
    for more in range(20):
        # Between two looks it has read all, and was given more than before.
        client.wire.unsent = 1000 + more
        world.run(client.session.pause_writing)
        heartbeat.heard()
        look(world, heartbeat)
        world.run(client.session.resume_writing)
    assert not client.wire.is_over
