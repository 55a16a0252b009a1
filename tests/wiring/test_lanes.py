"""Lanes: what is ready in memory, in order of priority and place, whatever returns or is withdrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.wiring import lanes as lanes_module
from penstock.wiring.lanes import Lanes
from penstock.wiring.reference import State
from tests.wiring.support import reference, sequences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.wiring import Reference


def filled(*places: tuple[int, int]) -> Lanes:
    """Lanes with a newcomer for each (priority, sequence)."""
    lanes = Lanes()
    for priority, sequence in places:
        lanes.append(reference(sequence, priority=priority))
    return lanes


def drained(lanes: Lanes) -> list[int]:
    out: list[Reference] = []
    while (found := lanes.pop()) is not None:
        out.append(found)
    return sequences(out)


def withdraw(lanes: Lanes, *wanted: int) -> None:
    for found in [found for found in lanes if found.sequence in wanted]:
        found.state = State.GONE
        lanes.withdrawn()


def test_empty_lanes_give_nothing() -> None:
    lanes = Lanes()
    assert (len(lanes), list(lanes), lanes.pop(), lanes.take(5), lanes.clear()) == (0, [], None, [], [])


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ([(0, 1), (0, 2), (0, 3)], [1, 2, 3]),  # first in, first out
        ([(5, 1), (0, 2), (9, 3), (0, 4)], [2, 4, 1, 3]),  # the lowest number first
        ([(5, 1), (5, 2), (7, 3)], [1, 2, 3]),  # the usual lane, then a less urgent one
        ([(0, 1), (2**32 - 1, 2), (1, 3)], [1, 3, 2]),
    ],
)
def test_they_leave_in_order_of_priority_and_place(
    places: Iterable[tuple[int, int]], order: list[int]
) -> None:
    assert sequences(filled(*places)) == order
    assert drained(filled(*places)) == order
    assert sequences(filled(*places).take(99)) == order
    assert sequences(filled(*places).clear()) == order
    assert [sequences(lanes.take(1))[0] for lanes in [filled(*places)] for _ in order] == order


def test_what_comes_back_goes_back_to_its_place() -> None:
    lanes = filled((0, 1), (0, 2), (0, 3), (0, 4))
    one, two = lanes.take(2)
    lanes.put_back(two)
    lanes.put_back(one)
    assert sequences(lanes) == [1, 2, 3, 4]
    assert drained(lanes) == [1, 2, 3, 4]


def test_what_comes_back_last_of_all_still_comes_last() -> None:
    lanes = filled((0, 1))
    lanes.put_back(reference(2))
    assert drained(lanes) == [1, 2]


@pytest.mark.parametrize("priority", [0, 5])
def test_their_length_is_right_after_everything(priority: int) -> None:
    lanes = filled((0, 1), (priority, 2), (priority, 3), (priority, 4), (priority, 5))
    assert len(lanes) == 5
    first = lanes.pop()
    assert first is not None
    assert len(lanes) == 4
    lanes.put_back(first)
    assert len(lanes) == 5
    lanes.take(2)
    assert len(lanes) == 3
    withdraw(lanes, 4)
    assert len(lanes) == 2
    lanes.take(1)
    assert len(lanes) == 1
    lanes.put_back(reference(9))
    lanes.clear()
    assert (len(lanes), list(lanes)) == (0, [])


def test_a_lane_of_its_own_is_emptied_at_once_or_in_part() -> None:
    lanes = filled((9, 1), (5, 2), (5, 3), (5, 4))
    assert sequences(lanes.take(2)) == [2, 3]
    assert len(lanes) == 2
    assert sequences(lanes.take(1)) == [4]
    assert len(lanes) == 1
    assert sequences(lanes.take(9)) == [1]
    assert lanes._lanes == {}


def test_the_limit_is_kept_across_lanes() -> None:
    assert sequences(filled((1, 1), (0, 2), (2, 3)).take(2)) == [2, 1]


def test_a_lane_that_is_empty_is_given_up_and_made_again() -> None:
    lanes = filled((0, 1), (5, 2))
    assert drained(lanes) == [1, 2]
    assert (lanes._lanes, lanes._priorities) == ({}, [])
    lanes.append(reference(3, priority=5))
    assert drained(lanes) == [3]


def test_what_is_withdrawn_is_passed_over() -> None:
    lanes = filled((0, 1), (0, 2), (0, 3), (5, 4), (5, 5))
    withdraw(lanes, 2, 4)
    assert (len(lanes), sequences(lanes)) == (3, [1, 3, 5])
    assert sequences(lanes.take(2)) == [1, 3]
    assert drained(lanes) == [5]
    assert len(lanes) == 0


def test_shells_are_swept_out_when_they_are_the_majority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes_module, "FEW_SHELLS", 2)
    lanes = filled((0, 1), (0, 2), (0, 3), (5, 4), (5, 5))
    lanes.put_back(reference(6, priority=5))
    usual = lanes.main(0)
    withdraw(lanes, 1, 2, 4)
    assert len(usual or ()) == 3  # half is no majority
    withdraw(lanes, 6)
    assert (sequences(usual or ()), len(lanes)) == ([3], 2)
    assert drained(lanes) == [3, 5]


def test_the_usual_lane_stays_the_same_for_ever() -> None:
    lanes = Lanes()
    usual = lanes.main(7)
    assert usual is not None
    assert lanes.main(8) is None
    # A queue may append to it directly.
    usual.append(reference(1, priority=7))
    assert len(lanes) == 1
    lanes.clear()
    assert lanes.main(7) is usual
    usual.append(reference(2, priority=7))
    assert drained(lanes) == [2]


# How many


@pytest.mark.parametrize(
    ("limit", "size", "expected"),
    [(9, 9, (3, 3)), (2, 9, (2, 6)), (9, 6, (3, 0)), (9, 5, (2, 2)), (9, 0, (0, 0)), (0, 9, (0, 9))],
)
def test_so_many_fit_into_so_many_bytes(limit: int, size: int, expected: tuple[int, int]) -> None:
    lanes = Lanes()
    for sequence in (1, 2, 3):
        lanes.append(reference(sequence, body=b"x" * sequence))
    assert (lanes.fitting(limit, size), drained(lanes)) == (expected, [1, 2, 3])


def test_of_empty_lanes_nothing_fits() -> None:
    assert Lanes().fitting(9, 9) == (0, 9)


def test_where_one_came_back_or_left_from_the_middle_one_is_weighed_at_a_time() -> None:
    lanes = filled((0, 1), (0, 2), (0, 3))
    withdraw(lanes, 1)
    assert lanes.fitting(9, 9) == (1, 9)
    lanes.put_back(lanes.take(1)[0])
    assert lanes.fitting(9, 9) == (1, 9)


def test_one_lane_is_weighed_at_a_time() -> None:
    assert filled((5, 1), (0, 2), (0, 3)).fitting(9, 9) == (2, 9)


@pytest.mark.parametrize(
    ("places", "behind", "expected"),
    [
        ([], (0, 9), 0),
        ([(0, 1), (0, 2)], (0, 9), 2),  # of its own priority those in memory came before
        ([(0, 1), (0, 2)], (5, 9), 2),
        ([(0, 1), (0, 2), (5, 3)], (5, 9), 2),  # no more than the first lane is known
        ([(5, 1), (5, 2)], (0, 9), 1),  # whoever asks knows that it is one at least
    ],
)
def test_so_many_come_before_one_that_is_kept_behind(
    places: list[tuple[int, int]], behind: tuple[int, int], expected: int
) -> None:
    assert filled(*places).surely_before(reference(behind[1], priority=behind[0])) == expected


def test_of_what_came_back_only_the_first_is_known_to_come_before() -> None:
    lanes = filled((0, 1), (0, 2))
    lanes.put_back(reference(9))
    assert lanes.surely_before(reference(5)) == 1


# Looking


def test_the_first_can_be_seen_without_being_taken() -> None:
    lanes = filled((5, 1), (5, 2), (0, 3), (0, 4))
    withdraw(lanes, 3)
    assert [sequences([first]) for _ in range(2) if (first := lanes.first())] == [[4], [4]]
    lanes.put_back(back := reference(2))
    assert lanes.first() is back
    lanes.take(2)
    assert sequences(filter(None, [lanes.first()])) == [1]
    lanes.clear()
    assert lanes.first() is None


def test_a_shell_passed_over_by_looking_leaves_the_count_of_its_lane() -> None:
    # Given shells in front of the main lane, of another one, and of one that returned to another
    lanes = filled((5, 1), (5, 2), (0, 3), (0, 4), (9, 5))
    lanes.put_back(reference(6, priority=9))
    withdraw(lanes, 1, 3, 5)
    assert len(lanes) == 3
    # When each is seen and taken in turn, then what is left is counted right all the way down
    for left, expected in ((3, 4), (2, 2), (1, 6)):
        assert sequences(filter(None, [lanes.first()])) == [expected]
        assert len(lanes) == left
        lanes.take(1)
    assert (len(lanes), lanes._elsewhere, lanes._shells) == (0, 0, 0)


def test_some_of_the_usual_lane_are_from_all_along_it() -> None:
    lanes = filled(*((0, number) for number in range(100)), (5, 200))
    some = sequences(lanes.some(8))
    assert (7 <= len(some) <= 9, min(some) < 15, max(some) > 85, 200 in some) == (True, True, True, False)
    assert sequences(filled((0, 1)).some(8)) == [1]
    assert Lanes().some(8) == []


def test_looking_changes_nothing() -> None:
    lanes = filled((5, 1), (0, 2), (0, 3))
    lanes.put_back(reference(4))
    assert sequences(lanes) == sequences(lanes) == [2, 3, 4, 1]
    assert len(lanes) == 4


@pytest.mark.parametrize("wanted", [1, 2, 3, 4, 5])
def test_one_that_is_taken_out_leaves_no_shell_and_may_come_back(wanted: int) -> None:
    lanes = filled((5, 1), (5, 2), (9, 3), (9, 4))
    lanes.put_back(reference(5, priority=9))
    (found,) = (found for found in lanes if found.sequence == wanted)
    lanes.take_out(found)
    assert (len(lanes), wanted in sequences(lanes)) == (4, False)
    lanes.put_back(found)
    assert drained(lanes) == [1, 2, 3, 4, 5]


def test_the_urgent_are_counted_without_those_that_have_left() -> None:
    lanes = filled((5, 1), (5, 2), (1023, 3), (1024, 4))
    assert lanes.urgent(1024) == 3
    withdraw(lanes, 2, 4)
    assert lanes.urgent(1024) == 2
