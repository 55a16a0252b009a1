from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.clock import VirtualClock
from penstock.outbox.waking import Bell, Wakes

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine


def test_a_bell_wakes_whoever_waits_and_whoever_is_about_to() -> None:
    async def story() -> None:
        bell, clock = Bell(), VirtualClock()
        bell.ring()
        bell.ring()
        await bell.wait(clock, 10)
        bell.silence()
        waiting = asyncio.create_task(bell.wait(clock, 10))
        await asyncio.to_thread(bell.ring)
        await waiting
        assert clock.now() == 0

    asyncio.run(story())


def test_without_a_ring_a_bell_waits_for_the_time() -> None:
    async def story() -> None:
        bell, clock = Bell(), VirtualClock()
        waiting = asyncio.create_task(bell.wait(clock, 10))
        await asyncio.sleep(0)
        clock.advance(9.9)
        await asyncio.sleep(0)
        assert not waiting.done()
        clock.advance(0.1)
        await waiting

    asyncio.run(story())


class CountingBell(Bell):
    """Counts."""

    def __init__(self) -> None:
        self.rings = 0

    def ring(self) -> None:
        self.rings += 1


def test_the_bell_rings_once_the_connection_is_given_back(engine: Engine) -> None:
    wakes, bell = Wakes(), CountingBell()
    wakes.hang(bell)
    for turn in range(1, 3):
        with engine.begin() as connection:
            wakes.note(connection)
            wakes.note(connection)
            assert bell.rings == turn - 1
        assert bell.rings == turn
    with engine.begin():
        """Nothing is noted."""
    assert bell.rings == 2


def test_a_bell_that_is_taken_down_rings_no_more(engine: Engine) -> None:
    wakes, bell = Wakes(), CountingBell()
    wakes.hang(bell)
    with engine.begin() as connection:
        wakes.note(connection)
        wakes.take_down(bell)
    assert bell.rings == 0
