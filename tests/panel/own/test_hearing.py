"""Hearing: workers tell of themselves, and are gone when they do not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import pytest

from penstock.client import connect
from penstock.clock import VirtualClock
from penstock.messaging import presence
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.presence import AtWork, Presence
from penstock.panel.own.hearing import Hearing
from penstock.server.embedded import Embedded
from penstock.settings import Settings

if TYPE_CHECKING:
    from penstock.messaging import Broker
    from penstock.panel.own.port import Worker


def told(name: str, progress: object = None, *, is_leaving: bool = False) -> Presence:
    job = AtWork(id="j", route="map", queue="work", attempt=1, started_at=1.0, progress=progress)
    return Presence(
        name=name,
        host="h",
        pid=1,
        started_at=0.0,
        queues=["work"],
        done=2,
        failed=1,
        jobs=[job],
        is_leaving=is_leaving,
    )


class Room:
    """A broker, somebody who hears and somebody who tells."""

    def __init__(self, embedded: Embedded, broker: Broker) -> None:
        self._embedded = embedded
        self._broker = broker
        self.clock = VirtualClock(100.0)
        self.hearing = Hearing(self._lend, self.clock)
        self.lent = 0

    async def _lend(self) -> Broker:
        self.lent += 1
        return self._broker

    async def tell(self, *presences: Presence) -> list[Worker]:
        """Tell it, and ask when it is heard."""
        await self.hearing.listed()
        for each in presences:
            await self._broker.publish(presence.message_of(each), presence.TO)
        queue = next(
            each
            for each in self._embedded.broker.hosts["/"].wiring.queues.values()
            if each.name.startswith("penstock.panel.")
        )
        async with asyncio.timeout(30):
            while queue.ready or queue.held:  # noqa: ASYNC110 (a broker tells nobody that it is done)
                await asyncio.sleep(0.001)
        return await self.hearing.listed()

    async def close(self) -> None:
        await self._broker.close()
        await self._embedded.close()


async def room() -> Room:
    embedded = await Embedded.start(Settings(amqp=()))
    return Room(embedded, AmqpBroker(await connect(embedded.url, dial=embedded.dial)))


def test_who_was_heard_is_listed_until_it_leaves_or_falls_silent() -> None:
    async def story() -> None:
        here = await room()
        assert (await here.hearing.listed(), here.lent) == ([], 1)
        assert [each.name for each in await here.tell(told("b"), told("a"))] == ["a", "b"]
        assert [each.name for each in await here.tell(told("a", is_leaving=True))] == ["b"]
        here.clock.advance(presence.GONE_AFTER + 1)
        assert (await here.hearing.listed(), here.lent) == ([], 1)
        await here.close()

    asyncio.run(story())


@pytest.mark.parametrize(
    ("reported", "progress", "note"),
    [
        (0.5, 0.5, None),
        (1, 1.0, None),
        (7, None, 7),
        (True, None, True),
        ("half", None, "half"),
        (None, None, None),
    ],
    ids=str,
)
def test_a_part_of_one_is_progress_and_all_else_a_note(
    reported: object, progress: float | None, note: object
) -> None:
    async def story() -> None:
        here = await room()
        (worker,) = await here.tell(told("a", reported))
        (job,) = worker.jobs
        assert (job.progress, job.note, job.route) == (progress, note, "map")
        await here.close()

    asyncio.run(story())


def test_a_broker_that_cannot_be_reached_is_tried_again() -> None:
    async def story() -> None:
        here = await room()
        broker = here._broker
        here._broker = None  # type: ignore[assignment]
        with pytest.raises(AttributeError):
            await here.hearing.listed()
        here._broker = broker
        assert await here.hearing.listed() == []
        await here.close()

    asyncio.run(story())


def test_relays_are_heard_apart_from_workers() -> None:
    async def story() -> None:
        here = await room()
        relay = msgspec.structs.replace(
            told("r"), kind=presence.RELAY, queues=["penstock_outbox"], jobs=[], trouble="nobody takes it"
        )
        assert [each.name for each in await here.tell(told("a"), relay)] == ["a"]
        (found,) = await here.hearing.relays()
        assert (found.name, found.outbox, found.relayed, found.failures) == ("r", "penstock_outbox", 2, 1)
        assert found.trouble == "nobody takes it"
        await here.close()

    asyncio.run(story())
