from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.client import run_channel
from penstock.client.run_channel import RunChannel
from penstock.errors import NotConnected
from penstock.wire.amqp.content import bodies_of
from penstock.wire.amqp.items import ACK
from tests.client.fake import FakeBroker, turns
from tests.client.support import story, until

if TYPE_CHECKING:
    from penstock.client.run import Run
    from penstock.errors import ClientError


class Scene:
    """A channel of runs at a fake broker."""

    def __init__(self) -> None:
        self.broker = FakeBroker()
        self.runs: list[Run] = []
        self.ends: list[ClientError | None] = []

    async def open(self) -> RunChannel:
        connection = await self.broker.connection()
        channel = RunChannel(connection, "q", self._receive, self.ends.append)
        await turns()  # the broker has agreed to it
        return channel

    def _receive(self, runs: list[Run]) -> None:
        self.runs += runs

    @property
    def bodies(self) -> list[list[bytes]]:
        return [bodies_of(run.frames) for run in self.runs]


@story
async def test_what_follows_each_other_is_one_run_acknowledged_in_one_frame() -> None:
    scene = Scene()
    channel = await scene.open()
    scene.broker.session.deliver(1, 1, b"a", b"b", b"c")
    scene.broker.session.deliver(1, 4, b"d")
    await turns()

    assert scene.bodies == [[b"a", b"b", b"c"], [b"d"]]
    assert channel.settling.in_hand == channel.connection.counters.delivered == 4
    for run in scene.runs:
        run.ack()
    await turns()
    assert scene.broker.session.settled == [(ACK, 1, 4, True)]
    assert channel.settling.in_hand == 0


@story
async def test_a_large_message_keeps_its_place_between_small_ones() -> None:
    scene = Scene()
    await scene.open()
    large = b"x" * 100_000
    scene.broker.session.deliver(1, 1, b"a", large, b"b")
    await turns()

    assert scene.bodies == [[b"a"], [large], [b"b"]]


@story
async def test_one_that_came_in_several_frames_keeps_its_place_too() -> None:
    scene = Scene()
    await scene.open()
    scene.broker.session.deliver(1, 1, b"a", b"x" * 9000, b"b")
    await turns()

    assert [body for bodies in scene.bodies for body in bodies] == [b"a", b"x" * 9000, b"b"]
    for run in scene.runs:
        run.ack()
    await turns()
    assert scene.broker.session.settled == [(ACK, 1, 3, True)]


@story
async def test_after_its_end_the_number_is_a_channel_as_others() -> None:
    scene = Scene()
    channel = await scene.open()
    decoder = channel.connection.decoder

    channel.close()

    assert [str(each) for each in scene.ends] == [str(NotConnected("the channel is closed"))]
    assert not decoder._in_runs


@story
@pytest.mark.parametrize(
    ("count", "size", "pauses"),
    [
        (10, 1, 1),
        (2, 1, 0),  # few come at a time
        (10, 25_600, 0),  # as much as uvloop reads at once: there is more
    ],
)
async def test_in_a_flood_the_socket_gathers(
    count: int, size: int, pauses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = Scene()
    channel = await scene.open()
    said: list[str] = []
    transport = channel.connection.transport
    monkeypatch.setattr(transport, "pause_reading", lambda: said.append("pause"))
    monkeypatch.setattr(transport, "resume_reading", lambda: said.append("resume"))

    scene.broker.session.deliver(1, 1, *[b"x" * size] * count)
    await turns()
    await until(lambda: said == ["pause", "resume"] * pauses)

    assert sum(map(len, scene.runs)) == count


@story
async def test_a_connection_that_is_lost_meanwhile_is_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_channel, "GATHER_IN", 0.001)
    scene = Scene()
    channel = await scene.open()
    transport = channel.connection.transport
    monkeypatch.setattr(transport, "pause_reading", transport.abort)
    monkeypatch.setattr(transport, "resume_reading", lambda: pytest.fail("it was read on"))

    scene.broker.session.deliver(1, 1, *[b"x"] * 10)
    await until(lambda: channel.connection.is_lost)
    await turns()
