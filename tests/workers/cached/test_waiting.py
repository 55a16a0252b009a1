from __future__ import annotations

import asyncio

import msgspec

from penstock.clock import VirtualClock
from penstock.workers.cached.notice import Notice
from penstock.workers.cached.waiting import Waiters
from tests.messaging.fakes import turns

NEWS = Notice(key="sol", of=("t1",), value=msgspec.Raw(b"1"))


def test_all_who_wait_for_a_key_are_told_and_nobody_else() -> None:
    async def story() -> None:
        clock, waiters = VirtualClock(), Waiters()
        with waiters.waiting("sol") as one, waiters.waiting("sol") as two, waiters.waiting("vega") as other:
            assert repr(waiters) == "<Waiters: 3 for 2 keys>"
            waiting = [asyncio.create_task(each.maybe_of("t1", 10, clock)) for each in (one, two, other)]
            await turns()
            waiters.tell(NEWS)
            assert await asyncio.gather(*waiting[:2]) == [NEWS, NEWS]
            clock.advance(10)
            assert await waiting[2] is None
        assert len(waiters) == 0

    asyncio.run(story())


def test_news_that_came_before_the_claim_was_seen_is_not_missed() -> None:
    async def story() -> None:
        clock, waiters = VirtualClock(), Waiters()
        with waiters.waiting("sol") as waiter:
            waiters.tell(NEWS)
            assert await waiter.maybe_of("t1", 10, clock) is NEWS

    asyncio.run(story())


def test_news_of_an_earlier_claim_is_not_taken_for_ones_own() -> None:
    async def story() -> None:
        clock, waiters = VirtualClock(), Waiters()
        with waiters.waiting("sol") as waiter:
            waiting = asyncio.create_task(waiter.maybe_of("t2", 10, clock))
            await turns()
            waiters.tell(NEWS)
            clock.advance(10)
            assert await waiting is None

    asyncio.run(story())
