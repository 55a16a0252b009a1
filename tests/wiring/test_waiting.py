"""Waiting: what is ready in one queue, in lanes, groups and the backlog, in one order."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import pytest

from penstock.wiring import waiting as module
from penstock.wiring.backlog import MemoryBacklog
from penstock.wiring.pieces import at_once
from penstock.wiring.reference import State
from penstock.wiring.timers import Timers
from penstock.wiring.waiting import Waiting
from tests.wiring.support import consume, reference, sequences, wired

if TYPE_CHECKING:
    from penstock.wiring import Consumer, Reference


def line(window: int | None = None, *, weighed: bool = False) -> Waiting:
    return Waiting(window, MemoryBacklog(), Timers(None), weighed=weighed)


def filled(window: int | None, *numbers: int, **terms: Any) -> Waiting:
    waiting = line(window)
    for number in numbers:
        waiting.add(reference(number, **terms))
    return waiting


def someone(**how: Any) -> Consumer:
    return consume(*wired(), **how)


def next_sequence(waiting: Waiting, consumer: Consumer) -> int | None:
    chosen = waiting.next_for(consumer)
    return None if chosen is None or chosen[0] is None else chosen[0].sequence


def find(waiting: Waiting, sequence: int) -> Reference:
    return next(found for found in waiting if found.sequence == sequence)


#: Without a window, with one that holds all, with one that holds almost nothing.
WINDOWS = [None, 50, 1]


# Looking


@pytest.mark.parametrize("window", WINDOWS)
def test_some_are_seen_from_any_position_on(window: int | None) -> None:
    waiting = line(window)
    for number in range(1, 21):
        waiting.add(reference(number, priority=number % 2))
    in_order = sequences(waiting)
    for position in (0, 3, 9, 10, 15, 19, 20, 1000):
        assert sequences(at_once(waiting.looking(position, 4))) == in_order[position : position + 4]
    assert sequences(waiting) == in_order


@pytest.mark.parametrize("window", WINDOWS)
def test_what_came_back_is_seen_at_its_place(window: int | None) -> None:
    waiting = filled(window, *range(1, 7))
    first, second, third = waiting.take(3)
    for found in (third, first):
        waiting.put_back(found)
    assert sequences(at_once(waiting.looking(0, 3))) == [1, 3, 4]
    waiting.withdraw(find(waiting, 3))
    assert sequences(at_once(waiting.looking(0, 9))) == [1, 4, 5, 6]
    assert second.state is not State.GONE


def test_groups_are_seen_in_order_too() -> None:
    waiting = filled(None, 1, 2, 3, 4, group="g")
    assert sequences(at_once(waiting.looking(1, 2))) == [2, 3]


# Order


@pytest.mark.parametrize("window", WINDOWS)
def test_they_leave_in_the_order_they_came(window: int | None) -> None:
    waiting = filled(window, *range(1, 10))
    assert (len(waiting), sequences(waiting)) == (9, list(range(1, 10)))
    assert sequences(waiting.take(4)) == [1, 2, 3, 4]
    assert next_sequence(waiting, someone()) == 5
    assert sequences(waiting.take(99)) == [6, 7, 8, 9]
    assert (len(waiting), waiting.take(1), waiting.next_for(someone())) == (0, [], None)


@pytest.mark.parametrize("window", WINDOWS)
def test_the_more_urgent_leave_first_wherever_they_are_kept(window: int | None) -> None:
    waiting = filled(window, 1, 2, 3, 4, priority=9)
    for number in (5, 6, 7, 8):
        waiting.add(reference(number, priority=0))
    assert sequences(waiting) == [5, 6, 7, 8, 1, 2, 3, 4]
    assert sequences(waiting.take(8)) == [5, 6, 7, 8, 1, 2, 3, 4]


@pytest.mark.parametrize("window", WINDOWS)
def test_what_comes_back_goes_back_to_its_place(window: int | None) -> None:
    waiting = filled(window, *range(1, 8))
    taken = waiting.take(5)
    for found in (taken[3], taken[0], taken[4]):
        waiting.put_back(found)
    assert sequences(waiting) == [1, 4, 5, 6, 7]
    assert sequences(waiting.take(9)) == [1, 4, 5, 6, 7]


def test_one_that_returns_less_urgent_waits_for_those_behind_the_window() -> None:
    # Given one of low priority that was delayed, and others in memory and in the backlog
    waiting = filled(1, 2, 3, 4, 5)
    late = reference(1, priority=9)
    # When it is due
    waiting.put_back(late)
    # Then it comes last
    assert sequences(waiting.take(9)) == [2, 3, 4, 5, 1]


# The memory window


def test_newcomers_who_find_memory_full_go_behind_the_window() -> None:
    waiting = filled(3, *range(1, 7))
    assert (sequences(waiting.lanes), sequences(waiting._backlog), len(waiting)) == ([1, 2, 3], [4, 5, 6], 6)
    assert {found.state for found in waiting._backlog} == {State.BEHIND}
    # One that comes when there is room again goes behind those that wait there already.
    waiting.take(2)
    waiting.add(reference(7))
    assert (sequences(waiting.lanes), sequences(waiting._backlog)) == ([3], [4, 5, 6, 7])


def test_a_large_window_is_fetched_little_by_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FETCHED", 3)
    waiting = filled(10, *range(1, 41))
    assert sequences(waiting.take(11)) == list(range(1, 12))
    assert sequences(waiting.lanes) == [12, 13]
    assert sequences(waiting.take(99)) == list(range(12, 41))


def test_a_window_holds_fewer_that_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOW_BYTES", 4_000_000)
    for size, count in ((100, 5_000), (1_000, 4_000), (10_000, 400), (1_000_000, 16)):
        waiting, body = line(5_000), bytes(size)
        for number in range(1, 6_001):
            waiting.add(reference(number, body=body))
        assert len(waiting.lanes) == pytest.approx(count, abs=module.STEP if count > 16 else 256), size
        assert sequences(waiting.take(6_000)) == list(range(1, 6_001))


def test_what_comes_after_a_while_is_weighed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WINDOW_BYTES", 1_000_000)
    waiting = line(5_000)
    for number in range(1, 4_001):
        waiting.add(reference(number))
    assert len(waiting.take(4_000)) == 4_000
    # When all are gone, few of the large ones find room before they are weighed.
    assert waiting.relax() == module.STEP
    for number in range(4_001, 6_001):
        waiting.add(reference(number, body=bytes(10_000)))
    assert len(waiting.lanes) == module.STEP
    assert line(None).relax() > 10**9


@pytest.mark.parametrize(("window", "expected"), [(None, 4), (50, 4), (2, 2)])
def test_it_knows_how_many_can_go_before_it_fetches_more(window: int | None, expected: int) -> None:
    assert filled(window, 1, 2, 3, 4).ahead() == expected


def test_half_a_window_is_fetched_when_the_next_is_behind_it() -> None:
    waiting = filled(4, *range(1, 12))
    waiting.take(4)
    assert len(waiting.lanes) == 0
    assert next_sequence(waiting, someone()) == 5
    assert (sequences(waiting.lanes), len(waiting._backlog)) == ([6], 5)
    assert {found.state for found in waiting.lanes} == {State.READY}
    assert sequences(waiting) == list(range(6, 12))


def test_what_has_been_in_memory_stays_there_when_it_comes_back() -> None:
    waiting = filled(4, *range(1, 101))
    for found in waiting.take(50):
        waiting.put_back(found)
    assert sequences(waiting) == list(range(1, 101))
    assert {found.state for found in waiting.lanes} == {State.READY}


def test_many_urgent_newcomers_do_not_stay_in_memory() -> None:
    waiting = filled(2, *range(1, 6), priority=9)
    for number in range(6, 50):
        waiting.add(reference(number))
    assert len(waiting.lanes) <= 4
    assert sequences(waiting) == [*range(6, 50), *range(1, 6)]


def test_what_a_backlog_holds_from_before_is_there_at_once() -> None:
    backlog = MemoryBacklog()
    for number in (1, 2, 3):
        backlog.put(reference(number, group="g"))
    waiting = Waiting(2, backlog, Timers(None), weighed=False)
    assert (len(waiting), sequences(waiting)) == (3, [1, 2, 3])
    assert next_sequence(waiting, someone()) == 1


# Weight


@pytest.mark.parametrize("window", WINDOWS)
def test_the_weight_is_that_of_the_bodies_that_wait(window: int | None) -> None:
    waiting = line(window, weighed=True)
    for number in range(1, 8):
        waiting.add(reference(number, body=b"x" * 10, expires_at=5.0 if number == 7 else inf))
    assert waiting.bytes == 70
    first, _ = waiting.take(2)
    assert waiting.bytes == 50
    waiting.put_back(first)
    assert waiting.bytes == 60
    waiting.next_for(someone())
    waiting.drop_first()
    waiting.withdraw(find(waiting, 5))
    assert waiting.bytes == 30 == 10 * len(waiting)
    waiting.take_expired(5.0)
    assert waiting.bytes == 10 * len(waiting)
    waiting.clear()
    assert waiting.bytes == 0


def test_one_that_does_not_fit_weighs_what_it_weighed() -> None:
    waiting = line(weighed=True)
    waiting.add(reference(1, body=b"x" * 10))
    full = someone(prefetch=1)
    full.held = 1
    assert waiting.next_for(full) == (None, full)
    assert (waiting.bytes, sequences(waiting)) == (10, [1])


def test_nobody_who_does_not_ask_for_it_pays_for_the_weight() -> None:
    waiting = filled(None, 1, 2)
    assert waiting.bytes == 0


# Leaving from the middle


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("number", range(1, 7))
def test_one_is_withdrawn_from_wherever_it_stands(window: int | None, number: int) -> None:
    waiting = filled(window, *range(1, 7))
    waiting.withdraw(find(waiting, number))
    left = [other for other in range(1, 7) if other != number]
    assert (len(waiting), sequences(waiting)) == (5, left)
    assert sequences(waiting.take(9)) == left


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("number", range(1, 7))
def test_one_of_a_group_is_withdrawn_from_wherever_it_stands(window: int | None, number: int) -> None:
    waiting = filled(window, *range(1, 7), group="g")
    waiting.withdraw(find(waiting, number))
    left = [other for other in range(1, 7) if other != number]
    consumer = someone()
    assert (len(waiting), sequences(waiting)) == (5, left)
    assert [next_sequence(waiting, consumer) for _ in left] == left


@pytest.mark.parametrize("group", [None, "g"])
@pytest.mark.parametrize("window", WINDOWS)
def test_the_first_is_dropped_for_those_over_their_limit(window: int | None, group: str | None) -> None:
    waiting = filled(window, *range(1, 7), group=group)
    assert [waiting.drop_first().sequence for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    assert len(waiting) == 0


def test_the_first_is_dropped_whoever_has_its_group_in_hand() -> None:
    waiting = filled(None, 1, 2, 3, group="held up")
    waiting.add(reference(4))
    holder = someone(prefetch=1)
    assert next_sequence(waiting, holder) == 1
    holder.held = 1
    assert next_sequence(waiting, someone()) == 4
    assert waiting.drop_first().sequence == 2


# Time


def test_those_behind_the_window_expire_there() -> None:
    waiting = filled(1, 1, 2, 3)
    waiting.add(reference(4, expires_at=5.0))
    assert waiting.next_expiry() == 5.0
    assert sequences(waiting.take_expired(5.0)) == [4]
    assert (waiting.next_expiry(), sequences(waiting)) == (inf, [1, 2, 3])


# Groups


@pytest.mark.parametrize("window", WINDOWS)
def test_groups_and_others_leave_in_one_order(window: int | None) -> None:
    waiting = line(window)
    for number in range(1, 10):
        waiting.add(reference(number, group=[None, "a", "b"][number % 3]))
    consumer = someone()
    assert sequences(waiting) == list(range(1, 10))
    assert [next_sequence(waiting, consumer) for _ in range(9)] == list(range(1, 10))


def test_one_who_takes_many_at_once_gets_none_of_a_group() -> None:
    # Given a group that so far stands behind the window only
    waiting = filled(1, 1, 2, 3)
    waiting.add(reference(4, group="g"))
    waiting.add(reference(5, group="g"))
    # When many are taken, then those of the group stay, to be handed out one by one
    assert sequences(waiting.take(9)) == [1, 2, 3]
    assert waiting.groups is not None
    assert sequences(waiting) == [4, 5]
    consumer = someone()
    assert [next_sequence(waiting, consumer) for _ in range(3)] == [4, 5, None]


def test_one_of_a_group_goes_back_before_the_later_ones() -> None:
    waiting = filled(None, 1, 2, 3, group="g")
    holder = someone()
    chosen = waiting.next_for(holder)
    assert chosen is not None
    assert chosen[0] is not None
    waiting.settle(chosen[0])
    waiting.put_back(chosen[0])
    assert [next_sequence(waiting, holder) for _ in range(3)] == [1, 2, 3]


def test_a_group_that_is_held_up_waits_and_the_rest_goes_on() -> None:
    waiting = filled(None, 1, 2, group="g")
    waiting.add(reference(3))
    holder, other = someone(prefetch=1), someone()
    chosen = waiting.next_for(holder)
    assert chosen is not None
    assert chosen[0] is not None
    holder.held = 1
    assert [next_sequence(waiting, other) for _ in range(2)] == [3, None]
    waiting.settle(chosen[0])
    assert next_sequence(waiting, other) == 2


def test_to_settle_is_nothing_to_one_without_a_group() -> None:
    waiting = filled(None, 1)
    waiting.settle(reference(9))
    assert sequences(waiting) == [1]


# Clearing


@pytest.mark.parametrize("group", [None, "g"])
@pytest.mark.parametrize("window", WINDOWS)
def test_cleared_all_are_let_go_of_and_it_goes_on(window: int | None, group: str | None) -> None:
    waiting = filled(window, *range(1, 6), group=group)
    messages = [found.message for found in waiting]
    in_memory, behind = waiting.clear()
    assert len(in_memory) + behind == 5
    assert {found.state for found in in_memory} == {State.GONE}
    assert [message.references for message in messages] == [0] * 5
    assert (len(waiting), list(waiting)) == (0, [])
    waiting.add(reference(6, group=group))
    assert next_sequence(waiting, someone()) == 6


def test_all_that_is_behind_is_drawn_in_in_order() -> None:
    waiting = filled(2, *range(1, 2000))
    waiting.draw_in()
    assert len(waiting._backlog) == 0
    assert sequences(waiting.take(3000)) == list(range(1, 2000))


def test_one_that_is_taken_out_weighs_no_more() -> None:
    waiting = line(weighed=True)
    heavy = reference(1, body=b"heavy")
    waiting.add(heavy)
    waiting.take_out(heavy)
    assert (len(waiting), waiting.bytes, waiting.urgent(1)) == (0, 0, 0)
