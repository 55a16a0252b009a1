"""Whoever is at work tells of itself until it leaves; that brokers carry it is told in tests/workers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.clock import VirtualClock
from penstock.errors import BrokerRefused, NotConnected
from penstock.messaging import presence
from penstock.messaging.heralding import Herald
from penstock.messaging.presence import AtWork, Presence, read

if TYPE_CHECKING:
    import pytest


class Ears:
    """A broker that hears; it may have no place for what is told, or be away now and then."""

    def __init__(self, refusal: Exception | None = None) -> None:
        self.clock = VirtualClock(100.0)
        self.heard: list[Presence] = []
        self.tries = 0
        self._refusal = refusal

    async def initialize(self, topology: object) -> None:
        assert topology == presence.TOPOLOGY
        if self._refusal is not None:
            raise self._refusal

    async def publish(self, message: Any, to: object, **_: Any) -> None:
        self.tries += 1
        if self.tries == 1:
            raise NotConnected("away for a moment")
        told = read(message.body)
        assert told is not None
        self.heard.append(told)


class Somebody(Herald):
    """At work on nothing."""

    def presence(self, *, is_leaving: bool = False) -> Presence:
        return Presence(
            name=self._name,
            host=self._host,
            pid=self._pid,
            started_at=self._started_at,
            queues=[],
            done=0,
            failed=0,
            jobs=[],
            is_leaving=is_leaving,
        )


def herald_at(ears: Ears) -> Herald:
    broker: Any = ears
    return Somebody(broker)


def test_it_tells_again_and_again_whatever_went_wrong_and_takes_leave() -> None:
    async def story() -> None:
        ears = Ears()
        herald = herald_at(ears)
        await herald.start()
        async with asyncio.timeout(30):
            while len(ears.heard) < 2:
                await asyncio.sleep(0)
                ears.clock.advance(presence.APART)
        await herald.stop()
        assert [each.is_leaving for each in ears.heard] == [*[False] * (len(ears.heard) - 1), True]
        assert len({each.name for each in ears.heard}) == 1
        assert ears.heard[0].started_at == 100.0

    asyncio.run(story())


def test_what_cannot_be_told_is_no_reason_to_fall_silent(caplog: pytest.LogCaptureFixture) -> None:
    class Odd(Somebody):
        def presence(self, *, is_leaving: bool = False) -> Presence:
            # An id of another program's, which is no text.
            job = AtWork(id="\udc80", route="/a", queue="bg", attempt=1, started_at=0.0)
            jobs = [] if self._broker.clock.now() > 100.0 else [job]
            return msgspec.structs.replace(super().presence(is_leaving=is_leaving), jobs=jobs)

    async def story() -> None:
        ears = Ears()
        ears.tries = 1
        broker: Any = ears
        herald = Odd(broker)
        await herald.start()
        async with asyncio.timeout(5):
            while not ears.heard:
                await asyncio.sleep(0)
                ears.clock.advance(presence.APART)
        await herald.stop()

    asyncio.run(story())
    assert "cannot be told" in caplog.text


def test_where_there_is_no_place_for_it_it_is_silent(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        ears = Ears(BrokerRefused("access refused", code=403))
        herald = herald_at(ears)
        await herald.start()
        await herald.stop()
        assert (ears.tries, "silent" in repr(herald)) == (0, True)

    caplog.set_level("INFO")
    asyncio.run(story())
    assert "access refused" in caplog.text
