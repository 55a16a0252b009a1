"""A relay tells of itself, to whoever listens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.errors import PublishRefused
from penstock.messaging import Destination, Message, presence
from penstock.outbox import Outbox, Relay
from penstock.outbox.heralding import RelayHerald
from penstock.outbox.opening import open_engine
from tests.outbox.recording import RecordingBroker

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.messaging import Topology
    from penstock.messaging.presence import Presence


class Open(RecordingBroker):
    """One that has a place for presences."""

    async def initialize(self, topology: Topology) -> None:
        assert topology == presence.TOPOLOGY

    @property
    def told(self) -> list[Presence]:
        found = [presence.read(message.body) for message, to in self.published if to == presence.TO]
        return [each for each in found if each is not None]


def test_what_it_has_relayed_and_why_it_fails_is_told() -> None:
    herald = RelayHerald(RecordingBroker(VirtualClock(5.0)), "penstock_outbox")
    herald.note(3, None)
    herald.note(1, PublishRefused("the queue is full"))
    found = herald.presence()
    assert (found.kind, found.queues, found.started_at) == ("relay", ["penstock_outbox"], 5.0)
    assert (found.done, found.failed, found.trouble) == (4, 1, "the queue is full")
    herald.note(0, None)
    assert herald.presence().trouble is None


def test_a_relay_is_heard_from_its_start_to_its_leave(tmp_path: Path) -> None:
    async def until(is_so: Any) -> None:
        async with asyncio.timeout(30):
            while not is_so():  # noqa: ASYNC110 (nobody sets an event)
                await asyncio.sleep(0.001)

    async def story() -> None:
        engine, broker = open_engine(f"sqlite:///{tmp_path}/app.db"), Open(VirtualClock(1_000_000.0))
        outbox = Outbox()
        outbox.metadata.create_all(engine)
        async with Relay(outbox, engine, broker):
            await until(lambda: broker.told)
            with engine.begin() as connection:
                outbox.add(connection, Message(body=b"{}", id="1"), to=Destination.queue("orders"))
            await until(lambda: b"{}" in broker.bodies)
        first, *_, last = broker.told
        assert (first.done, first.is_leaving) == (0, False)
        assert (last.name, last.done, last.is_leaving) == (first.name, 1, True)
        engine.dispose()

    asyncio.run(story())
