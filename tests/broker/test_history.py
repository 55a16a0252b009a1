"""The history: room for so many, those that are asked for first."""

from __future__ import annotations

from penstock.broker.history import WATCHED_IN, History
from penstock.broker.track import DAY, HOUR


def told(history: History, thing: str, now: float, value: int) -> list[list[int]] | None:
    return history.told(thing, [0.0, 10.0, now], (now, [value]))


def test_what_has_changed_is_told_and_what_has_not_was_always_so() -> None:
    history = History()
    history.note("busy", (0.0, [1]), (10.0, [5]))
    assert told(history, "busy", 20.0, 9) == [[1], [5], [9]]
    assert told(history, "still", 20.0, 3) == [[3], [3], [3]]


def test_what_stood_still_for_a_while_did_not_creep() -> None:
    history = History()
    history.note("q", (0.0, [0]), (5.0, [10]))
    history.note("q", (95.0, [10]), (100.0, [20]))
    assert history.told("q", [50.0, 95.0, 97.5], (100.0, [20])) == [[10], [10], [15]]


def test_there_is_room_for_so_many_and_who_finds_none_has_no_past() -> None:
    history = History(most=2)
    for name in "abc":
        history.note(name, (0.0, [0]), (10.0, [5]))
    assert told(history, "b", 20.0, 5) == [[0], [5], [5]]
    assert told(history, "c", 20.0, 5) is None
    assert repr(history) == "<History of 2 things, 1 left out>"


def test_who_is_asked_for_is_let_in_before_others() -> None:
    history = History(most=1)
    history.note("a", (0.0, [0]), (10.0, [5]))
    history.note("b", (0.0, [0]), (10.0, [5]))
    assert told(history, "b", 10.0, 5) is None
    for name in "bc":
        history.note(name, (10.0, [5]), (20.0, [9]))
    assert history.told("b", [15.0], (20.0, [9])) == [[7]]
    assert history.told("c", [15.0], (20.0, [9])) is None
    # And who has not asked for a while is as good as anybody.
    history.clear_away({"c"}, 21.0 + WATCHED_IN)
    assert repr(history) == "<History of 0 things, 1 left out>"


def test_what_is_kept_for_longer_always_finds_room() -> None:
    history = History(most=0)
    history.note("host", (0.0, [0]), (10.0, [5]), DAY)
    assert told(history, "host", 10.0, 5) == [[0], [5], [5]]


def test_what_is_gone_or_has_stood_still_for_long_is_forgotten() -> None:
    history = History()
    for name in "ab":
        history.note(name, (0.0, [0]), (10.0, [5]))
    history.clear_away({"a"}, 11.0)
    assert repr(history) == "<History of 1 things, 0 left out>"
    history.clear_away({"a"}, 11.0 + HOUR)
    assert repr(history) == "<History of 0 things, 0 left out>"
