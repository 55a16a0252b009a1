"""Rotation: who is served next, quasi round robin, the highest consumer priority first."""

from __future__ import annotations

from penstock.wiring.consumer import Consumer
from penstock.wiring.rotation import Rotation
from tests.wiring.support import open_ledger, wired


def consumers(**priorities: int) -> list[Consumer]:
    wiring, queue = wired()
    ledger = open_ledger(wiring)
    return [Consumer(name, queue, ledger, priority=priority) for name, priority in priorities.items()]


def test_nobody_in_it_is_nobodys_turn() -> None:
    rotation = Rotation()
    assert not rotation
    assert not rotation.turn()


def test_those_of_one_priority_wait_in_the_order_they_came() -> None:
    rotation, (a, b) = Rotation(), consumers(a=0, b=0)
    rotation.join(a)
    rotation.join(b)
    assert rotation
    assert list(rotation.turn()) == [a, b]


def test_the_highest_priority_has_its_turn_first_whoever_came_when() -> None:
    rotation, (low, high, middle) = Rotation(), consumers(low=-5, high=9, middle=0)
    for consumer in (low, high, middle):
        rotation.join(consumer)
    assert list(rotation.turn()) == [high]
    rotation.leave(high)
    assert list(rotation.turn()) == [middle]
    rotation.leave(middle)
    assert list(rotation.turn()) == [low]


def test_it_knows_who_is_in_it() -> None:
    rotation, (inside, outside, elsewhere) = Rotation(), consumers(inside=0, outside=0, elsewhere=5)
    rotation.join(inside)
    assert inside in rotation
    assert outside not in rotation
    assert elsewhere not in rotation


def test_who_leaves_or_was_never_there_leaves_no_trace() -> None:
    rotation, (a, b, stranger) = Rotation(), consumers(a=0, b=0, stranger=5)
    rotation.join(a)
    rotation.leave(b)
    rotation.leave(stranger)
    assert list(rotation.turn()) == [a]
    rotation.leave(a)
    assert not rotation
    assert rotation._levels == {}
