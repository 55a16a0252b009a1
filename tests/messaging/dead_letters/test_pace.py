from __future__ import annotations

import asyncio

import pytest

from penstock.clock import VirtualClock
from penstock.errors import MessagingError
from penstock.messaging.dead_letters.pace import Pace
from tests.messaging.fakes import turns


def test_so_many_a_second_and_not_more() -> None:
    async def story() -> None:
        clock = VirtualClock()
        pace = Pace(16, clock)
        gone: list[float] = []

        async def go() -> None:
            for _ in range(4):
                await pace.take(8)
                gone.append(clock.now())

        task = asyncio.ensure_future(go())
        for _ in range(20):
            await turns(3)
            clock.advance(0.125)
        await task
        assert gone == [0, 0.5, 1.0, 1.5]

    asyncio.run(story())


def test_time_that_nobody_used_is_not_saved_up() -> None:
    async def story() -> None:
        clock = VirtualClock()
        pace = Pace(1, clock)
        clock.advance(100)
        await pace.take(1)
        waiting = asyncio.ensure_future(pace.take(1))
        await turns()
        assert not waiting.done()
        clock.advance(1)
        await waiting

    asyncio.run(story())


def test_without_a_rate_nobody_waits() -> None:
    async def story() -> None:
        pace = Pace(None, VirtualClock())
        for _ in range(1000):
            await pace.take(1000)

    asyncio.run(story())


@pytest.mark.parametrize(("rate", "burst"), [(None, 100), (0.5, 1), (1, 1), (50, 5), (1e9, 100)])
def test_bursts_are_a_tenth_of_a_second(rate: float | None, burst: int) -> None:
    assert Pace(rate, VirtualClock()).burst == burst


@pytest.mark.parametrize("rate", [0, -1, float("nan")])
def test_no_rate_is_told(rate: float) -> None:
    with pytest.raises(MessagingError, match="more than 0"):
        Pace(rate, VirtualClock())
