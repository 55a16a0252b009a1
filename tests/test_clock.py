from __future__ import annotations

import time

import pytest

from penstock.clock import Clock, SystemClock, VirtualClock


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
