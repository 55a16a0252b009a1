from __future__ import annotations

import pickle
from contextlib import suppress

import pytest

from penstock.clock import VirtualClock
from penstock.did.http.patience import FOR, SECONDS, Patience, Waiting
from penstock.errors import Unavailable

A, B = "203.0.113.1", "203.0.113.2"


def test_who_keeps_us_waiting_is_not_asked_for_a_while() -> None:
    clock = VirtualClock()
    patience = Patience(clock)
    for _ in range(2):
        patience.check(A)
        patience.spend(A, 10.0, 0)
    with pytest.raises(Unavailable, match=r"203\.0\.113\.1 has kept us waiting"):
        patience.check(A)
    patience.check(B)
    clock.advance(FOR)
    patience.check(A)
    patience.spend(A, SECONDS, 0)
    patience.check(A)
    patience.spend(A, 10.0, 0)
    with pytest.raises(Unavailable):
        patience.check(A)


def test_what_is_prompt_or_large_costs_nothing() -> None:
    patience = Patience(VirtualClock())
    for _ in range(10_000):
        patience.spend(A, 0.9, 0)
        patience.spend(A, 9.0, 10_000_000)
    patience.check(A)


def test_another_process_has_its_own() -> None:
    patience = Patience()
    patience.spend(A, 100.0, 0)
    pickle.loads(pickle.dumps(patience)).check(A)  # noqa: S301 (it is ours)


def test_so_many_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.did.http.patience.MOST", 2)
    patience = Patience(VirtualClock())
    for place in (A, B, "c"):
        patience.spend(place, 100.0, 0)
    patience.check(A)
    for place in (B, "c"):
        with pytest.raises(Unavailable):
            patience.check(place)


def test_each_place_is_waited_for_by_itself() -> None:
    clock = VirtualClock()
    patience = Patience(clock)
    for _ in range(2):
        with Waiting(patience) as waiting:
            waiting.turn_to(A)
            clock.advance(10)
            waiting.turn_to(B)
    with Waiting(patience) as waiting:
        with pytest.raises(Unavailable, match=r"203\.0\.113\.1 has kept us waiting"):
            waiting.turn_to(A)
        # Nobody is waited for by now.
        clock.advance(100)
        waiting.turn_to(B)
        clock.advance(10)
        waiting.size = 10_000_000
    patience.check(B)
    with suppress(OSError), Waiting(patience) as waiting:
        waiting.turn_to(B)
        clock.advance(SECONDS + 2)
        raise OSError("it broke off")
    with pytest.raises(Unavailable):
        patience.check(B)
