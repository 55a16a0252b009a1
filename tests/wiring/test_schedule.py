"""Schedules: what is due comes out in order of time; what is no longer wanted is not searched for."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from penstock.wiring import schedule as schedule_module
from penstock.wiring.schedule import Schedule

if TYPE_CHECKING:
    import pytest


def wishes(*wanted: tuple[float, str]) -> tuple[Schedule[str], dict[str, float]]:
    """A schedule, and the table that says what is wanted when: change it, then call `drop`."""
    table = {thing: at for at, thing in wanted}
    made: Schedule[str] = Schedule(lambda at, thing: table.get(thing) == at)
    for at, thing in wanted:
        made.add(at, thing)
    return made, table


def test_an_empty_schedule_has_nothing_due_ever() -> None:
    empty, _ = wishes()
    assert (len(empty), list(empty), list(empty.due(inf)), empty.next_at()) == (0, [], [], inf)


def test_the_earliest_comes_first_and_of_equal_times_the_first_added() -> None:
    schedule, _ = wishes((3, "c"), (1, "a"), (2, "b1"), (2, "b2"), (9, "z"))
    assert list(schedule) == ["a", "b1", "b2", "c", "z"]
    assert list(schedule.due(3)) == ["a", "b1", "b2", "c"]
    assert (len(schedule), schedule.next_at()) == (1, 9)


def test_looking_takes_nothing_out() -> None:
    schedule, _ = wishes((1, "a"), (2, "b"))
    assert list(schedule) == list(schedule) == ["a", "b"]
    assert schedule.next_at() == schedule.next_at() == 1
    assert len(schedule) == 2


def test_things_that_cannot_be_compared_can_be_due_at_once() -> None:
    schedule: Schedule[object] = Schedule(lambda _at, _thing: True)
    things = [object(), object()]
    for thing in things:
        schedule.add(1, thing)
    assert list(schedule) == list(schedule.due(1)) == things


def test_what_was_dropped_is_neither_shown_nor_due_nor_counted() -> None:
    schedule, table = wishes((1, "a"), (2, "b"), (3, "c"))
    del table["b"]
    schedule.drop()
    assert (len(schedule), list(schedule)) == (2, ["a", "c"])
    assert list(schedule.due(5)) == ["a", "c"]
    assert len(schedule) == 0


def test_the_next_time_is_that_of_something_wanted() -> None:
    schedule, table = wishes((1, "a"), (2, "b"), (3, "c"))
    for gone in "ab":
        del table[gone]
        schedule.drop()
    assert schedule.next_at() == 3
    assert len(schedule) == 1


def test_what_is_wanted_at_another_time_is_due_then() -> None:
    schedule, table = wishes((1, "a"))
    table["a"] = 5
    schedule.drop()
    schedule.add(5, "a")
    assert list(schedule.due(4)) == []
    assert (len(schedule), schedule.next_at()) == (1, 5)


def test_what_nobody_reported_as_dropped_is_passed_over_all_the_same() -> None:
    schedule, table = wishes((1, "a"), (2, "b"))
    table.clear()
    assert list(schedule.due(1)) == []
    assert schedule.next_at() == inf
    assert len(schedule) == 0


def test_more_may_be_added_while_what_is_due_is_worked_off() -> None:
    schedule, table = wishes((1, "a"))
    done = []
    for thing in schedule.due(3):
        done.append(thing)
        if thing == "a":
            table["b"] = 2
            schedule.add(2, "b")
    assert done == ["a", "b"]


def test_the_unwanted_are_swept_out_when_they_are_the_majority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule_module, "FEW", 2)
    schedule, table = wishes(*((at, str(at)) for at in range(6)))
    for gone in "012":
        del table[gone]
        schedule.drop()
    assert len(schedule._heap) == 6  # three of six is no majority
    del table["3"]
    schedule.drop()
    assert len(schedule._heap) == len(schedule) == 2
    assert list(schedule.due(9)) == ["4", "5"]


def test_order_is_kept_when_the_unwanted_are_swept_out() -> None:
    times = [(float(number * 37 % 101), f"thing {number}") for number in range(101)]
    schedule, table = wishes(*times)
    for at, thing in times:
        if at % 3:
            del table[thing]
    schedule.sweep()
    left = list(schedule.due(inf))
    assert (len(left), left) == (34, sorted(left, key=lambda thing: table[thing]))


def test_a_handful_of_unwanted_is_left_where_it_is() -> None:
    schedule, table = wishes((1, "a"), (2, "b"))
    table.clear()
    schedule.drop()
    schedule.drop()
    assert (len(schedule), len(schedule._heap)) == (0, 2)
    schedule.sweep()
    assert len(schedule._heap) == 0


def test_cleared_it_wants_nothing() -> None:
    schedule, _ = wishes((1, "a"))
    schedule.drop()
    schedule.clear()
    assert (len(schedule), list(schedule), schedule.next_at()) == (0, [], inf)
    schedule.add(2, "a")
    assert len(schedule) == 1


def test_the_first_few_of_very_many_are_found_without_sorting_all() -> None:
    schedule, table = wishes(*((float(number * 7919 % 10_007), f"{number}") for number in range(10_007)))
    looked = 0

    def wanted(at: float, thing: str) -> bool:
        nonlocal looked
        looked += 1
        return table.get(thing) == at

    schedule._wanted = wanted
    first = iter(schedule)
    assert [table[next(first)] for _ in range(5)] == [0, 1, 2, 3, 4]
    assert looked == 5
    assert [table[thing] for thing in schedule] == sorted(table.values())
