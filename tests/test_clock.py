from __future__ import annotations

import asyncio
import math
import time

import pytest

from penstock.clock import Alarm, Clock, SystemClock, VirtualClock, sleep


@pytest.mark.parametrize("clock", [SystemClock(), VirtualClock()], ids=["system", "virtual"])
def test_every_clock_fits_the_port_and_never_runs_backwards(clock: Clock) -> None:
    instants = [clock.now() for _ in range(1000)]
    assert instants == sorted(instants)


def test_the_system_clock_tells_the_wall_time() -> None:
    assert SystemClock().now() == pytest.approx(time.time(), abs=1)


def test_the_system_clock_ignores_that_the_machine_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a machine whose wall time is 1000 s after the epoch, up for 10 s
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    monkeypatch.setattr(time, "monotonic", lambda: 10.0)
    clock = SystemClock()
    # When the wall time is set back while 5 s pass
    monkeypatch.setattr(time, "time", lambda: 1.0)
    monkeypatch.setattr(time, "monotonic", lambda: 15.0)
    # Then only the 5 s have passed, and a clock made now goes by the new setting
    assert clock.now() == 1005.0
    assert repr(clock) == "<SystemClock 1005.000>"
    assert SystemClock().now() == 1.0


def test_a_virtual_clock_moves_only_when_advanced() -> None:
    clock = VirtualClock(100.0)
    assert clock.now() == 100.0
    assert clock.advance(0) == 100.0
    assert clock.advance(2.5) == clock.now() == 102.5
    assert repr(clock) == "<VirtualClock 102.500>"


def test_a_virtual_clock_does_not_go_back() -> None:
    clock = VirtualClock(100.0)
    with pytest.raises(ValueError, match="does not go back: -1"):
        clock.advance(-1)
    assert clock.now() == 100.0


# Alarms


@pytest.mark.parametrize("clock", [SystemClock(), VirtualClock()], ids=["system", "virtual"])
def test_every_clock_rings_on_the_loop_what_is_past_as_soon_as_it_can(clock: Clock) -> None:
    async def story() -> None:
        rung: list[str] = []
        clock.call_at(clock.now() - 5, rung.append, "past")
        clock.call_at(clock.now() + 3600, rung.append, "future").cancel()
        clock.call_at(clock.now() - 5, rung.append, "cancelled").cancel()
        # Not within the call: who sets an alarm goes on first.
        assert rung == []
        if isinstance(clock, VirtualClock):
            clock.advance(0)
        await asyncio.sleep(0.01)
        assert rung == ["past"]

    asyncio.run(story())


def test_the_system_clock_waits_for_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        loop = asyncio.get_running_loop()
        waits: list[float] = []
        monkeypatch.setattr(loop, "call_later", lambda delay, *_: waits.append(delay))
        clock = SystemClock()
        monkeypatch.setattr(time, "monotonic", lambda: 10.0)
        now = clock.now()
        clock.call_at(now + 5, print)
        clock.call_at(now - 5, print)
        assert waits == [pytest.approx(5), 0.0]

    asyncio.run(story())


def test_a_virtual_clock_rings_each_alarm_at_its_own_time_in_order() -> None:
    clock = VirtualClock(100.0)
    rung: list[tuple[str, float]] = []

    def ring(name: str) -> None:
        rung.append((name, clock.now()))

    clock.call_at(103.0, ring, "c")
    clock.call_at(101.0, ring, "a")
    clock.call_at(101.0, ring, "b")
    clock.call_at(90.0, ring, "past")
    clock.call_at(106.0, ring, "later")
    assert clock.next_at == 90.0
    assert clock.advance(5) == 105.0
    # Alarms of one time in the order they were set in; and the past does not turn the clock back.
    assert rung == [("past", 100.0), ("a", 101.0), ("b", 101.0), ("c", 103.0)]
    assert (clock.now(), clock.next_at) == (105.0, 106.0)


def test_an_alarm_may_set_the_next() -> None:
    clock = VirtualClock()
    rung: list[float] = []

    def ring() -> None:
        rung.append(clock.now())
        clock.call_at(clock.now() + 2, ring)

    clock.call_at(2, ring)
    clock.advance(7)
    assert (rung, clock.next_at) == ([2.0, 4.0, 6.0], 8.0)


def test_a_cancelled_alarm_does_not_ring() -> None:
    clock, rung = VirtualClock(), list[str]()
    first = clock.call_at(1, rung.append, "first")
    clock.call_at(2, rung.append, "second")
    first.cancel()
    assert clock.next_at == 2
    clock.advance(3)
    # Too late changes nothing.
    first.cancel()
    assert (rung, clock.next_at) == (["second"], math.inf)


def test_an_alarm_can_cancel_one_of_its_own_time() -> None:
    clock, rung, alarms = VirtualClock(), list[str](), list[Alarm]()

    def cancel() -> None:
        alarms.pop().cancel()

    clock.call_at(1, cancel)
    alarms.append(clock.call_at(1, rung.append, "second"))
    clock.advance(1)
    assert rung == []


# Sleep


def test_a_sleep_lasts_until_the_clock_says_so() -> None:
    async def story() -> None:
        clock = VirtualClock()
        sleeper = asyncio.create_task(sleep(clock, 5))
        await asyncio.sleep(0)
        clock.advance(4.9)
        await asyncio.sleep(0)
        assert not sleeper.done()
        clock.advance(0.1)
        await sleeper
        assert clock.next_at == math.inf

    asyncio.run(story())


def test_a_sleep_that_is_cancelled_leaves_no_alarm() -> None:
    async def story() -> None:
        clock = VirtualClock()
        sleeper = asyncio.create_task(sleep(clock, 5))
        await asyncio.sleep(0)
        assert clock.next_at == 5
        sleeper.cancel()
        await asyncio.wait([sleeper])
        assert clock.next_at == math.inf

    asyncio.run(story())


def test_a_sleeper_that_is_woken_and_cancelled_at_once_is_cancelled() -> None:
    async def story() -> None:
        clock = VirtualClock()
        sleeper = asyncio.create_task(sleep(clock, 5))
        await asyncio.sleep(0)
        # The task has not run since: its alarm still stands, and the future is done for.
        sleeper.cancel()
        clock.advance(5)
        await asyncio.wait([sleeper])
        assert sleeper.cancelled()

    asyncio.run(story())


def test_a_sleep_by_the_system_clock_ends() -> None:
    async def story() -> None:
        await sleep(SystemClock(), 0.01)

    asyncio.run(story())
