"""Stretches: where neighbours are, cut where they are none."""

from __future__ import annotations

import pytest

from penstock.wiring import stretch as module
from penstock.wiring.stretch import Handful, Stretch, cut
from penstock.wiring.tally import Tally
from tests.wiring.support import reference, sequences

FIVE = Stretch(position=11, length=5, priority=2, sequence=101, arrived_at=7.0)


def test_it_tells_where_it_ends() -> None:
    assert (FIVE.last, FIVE.below) == (15, 106)


@pytest.mark.parametrize(("count", "length"), [(2, 2), (5, 5), (9, 5)])
def test_its_first_are_where_they_were(count: int, length: int) -> None:
    assert FIVE.first(count) == Stretch(11, length, 2, 101, 7.0)


def test_without_the_first_the_others_are_where_they_were() -> None:
    assert FIVE.without(2) == Stretch(13, 3, 2, 103, 7.0)


@pytest.mark.parametrize("end", range(9, 18))
@pytest.mark.parametrize("start", range(8, 18))
def test_what_lies_between_two_positions_is_where_it_was(start: int, end: int) -> None:
    found = FIVE.between(start, end)
    positions = range(found.position, found.position + found.length)
    assert found.length == len(positions)  # never less than nothing
    assert list(positions) == [position for position in range(11, 16) if start < position <= end]
    assert found.sequence - found.position == FIVE.sequence - FIVE.position


@pytest.mark.parametrize(
    ("stretch", "goes_on"),
    [
        (Stretch(16, 1, 2, 106, 9.0), True),  # at another time
        (Stretch(17, 1, 2, 106, 7.0), False),
        (Stretch(16, 1, 2, 107, 7.0), False),
        (Stretch(16, 1, 3, 106, 7.0), False),
        (Stretch(16, 1, 2, 106, 7.0, home=5), False),
    ],
)
def test_neighbours_go_on_where_it_ends(stretch: Stretch, *, goes_on: bool) -> None:
    assert stretch.goes_on(FIVE) is goes_on


def test_a_handful_forgets_its_first_in_memory_too() -> None:
    handful = Handful(FIVE, [reference(sequence) for sequence in range(101, 106)])
    assert sequences(handful.drop(2)) == [101, 102]
    assert (handful.stretch.position, sequences(handful.references or ())) == (13, [103, 104, 105])


def test_a_handful_in_the_store_forgets_where_its_first_are() -> None:
    handful = Handful(FIVE)
    assert (handful.drop(5), handful.stretch.length) == ([], 0)


@pytest.mark.parametrize(
    ("references", "text"),
    [([], "<Handful 11 to 15 in memory>"), (None, "<Handful 11 to 15 in the store>")],
)
def test_a_handful_says_where_it_is(references: list[object] | None, text: str) -> None:
    assert repr(Handful(FIVE, references)) == text  # type: ignore[arg-type]


# Cutting


def cuts(*places: tuple[int, int], tally: Tally | None = None, in_order: bool = True) -> list[Stretch]:
    """What becomes of references at (priority, sequence) that are taken at 9.0."""
    references = [reference(sequence, priority=priority) for priority, sequence in places]
    handfuls = list(cut(references, 1, tally or Tally(), 9.0, in_order=in_order))
    held = [found for handful in handfuls for found in handful.references or ()]
    assert held == references
    return [handful.stretch for handful in handfuls]


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([], []),
        ([(0, 4)], [(1, 1, 0, 4)]),
        ([(0, 4), (0, 5), (0, 6)], [(1, 3, 0, 4)]),  # neighbours
        ([(0, 4), (0, 6), (0, 7)], [(1, 1, 0, 4), (2, 2, 0, 6)]),  # a gap
        ([(0, 5), (1, 6)], [(1, 1, 0, 5), (2, 1, 1, 6)]),  # another priority
    ],
)
def test_neighbours_are_one_stretch(
    places: list[tuple[int, int]], expected: list[tuple[int, int, int, int]]
) -> None:
    assert cuts(*places) == [Stretch(*numbers, 9.0) for numbers in expected]


def test_what_is_in_no_order_is_looked_at_one_by_one() -> None:
    # From first to last there are as many sequences as messages, and yet no two are neighbours.
    places = [(0, 1), (0, 3), (0, 2), (0, 4)]
    assert [stretch.sequence for stretch in cuts(*places, in_order=False)] == [1, 3, 2, 4]


def test_what_came_at_another_time_is_another_stretch() -> None:
    tally = Tally()
    for sequence, at in [(2, 3.0), (3, 3.05), (4, 5.0)]:
        tally.mark(sequence, at)
    assert [
        (s.sequence, s.length, s.arrived_at) for s in cuts(*((0, n) for n in range(1, 7)), tally=tally)
    ] == [
        (1, 3, 3.0),
        (4, 1, 5.0),
        (5, 2, 9.0),
    ]


def test_a_long_one_is_cut_so_that_it_leaves_memory_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 2)
    assert [(s.position, s.length) for s in cuts(*((0, n) for n in range(5)))] == [(1, 2), (3, 2), (5, 1)]
