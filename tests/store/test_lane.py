from __future__ import annotations

from typing import Any

import pytest

from penstock.store.lane import Lane
from penstock.store.rows import END
from penstock.wiring import Message, Reference, Terms


def newcomer(sequence: int) -> Reference:
    return Reference(Message(b""), sequence)


def test_a_lane_is_rows_and_then_what_waits_for_its_commit() -> None:
    lane = Lane(3, 6, 4)
    assert (len(lane), lane.below) == (4, END)
    lane.append(1, newcomer(8))
    lane.append(2, newcomer(9))
    assert (len(lane), lane.below) == (6, 8)
    lane.commit(1)
    assert (len(lane), lane.stored, lane.below) == (6, 5, 9)
    assert repr(lane) == "<Lane from 3: 5 stored, 1 uncommitted>"


def test_it_keeps_rows_between_its_ends_but_for_holes() -> None:
    lane = Lane(3, 6, 4)
    lane.append(1, newcomer(8))
    lane.holes[5] = END
    assert [sequence for sequence in range(10) if lane.keeps(sequence)] == [3, 4, 6, 7]


def test_only_a_newcomer_is_appended() -> None:
    with pytest.raises(ValueError, match="no newcomer: 6 was here before"):
        Lane(3, 6, 4).append(1, newcomer(6))


def test_one_that_waits_is_taken_from_the_middle() -> None:
    lane = Lane(1, 0)
    references = [newcomer(sequence) for sequence in (1, 2, 3)]
    for reference in references:
        lane.append(1, reference)
    lane.take_uncommitted(references[1])
    assert list(lane.uncommitted) == [references[0], references[2]]


def test_holes_are_forgotten_when_their_row_is_gone_or_passed() -> None:
    lane = Lane(1, 9, 9)
    lane.holes = {2: 5, 4: END, 6: 7}
    lane.commit(5)
    assert lane.holes == {4: END, 6: 7}
    lane.advance(5)
    assert (lane.first, lane.holes) == (5, {6: 7})


@pytest.mark.parametrize(
    ("holes", "spans"),
    [
        ([], [(2, 8)]),
        ([4], [(2, 4), (5, 8)]),
        ([2, 3, 7], [(4, 7)]),
        ([2, 3, 4, 5, 6, 7], []),
    ],
)
def test_spans_go_around_the_holes(holes: list[int], spans: list[tuple[int, int]]) -> None:
    lane = Lane(2, 7, 6)
    lane.holes = dict.fromkeys(holes, END)
    assert list(lane.spans()) == spans


def plain(sequence: int, size: int = 1, **terms: Any) -> Reference:
    return Reference(Message(bytes(size), terms=Terms(**{"persistent": True, **terms})), sequence)


def test_it_knows_the_longest_body_as_long_as_it_has_seen_all() -> None:
    lane, older = Lane(1, 0), Lane(1, 9, 9)
    for sequence, size in ((10, 3), (11, 7), (12, 5)):
        lane.append(1, plain(sequence, size))
        older.append(1, plain(sequence, size))
    assert (lane.largest, older.largest, lane.is_plain, older.is_plain) == (7, None, True, True)


@pytest.mark.parametrize("terms", [{"persistent": False}, {"group": "g"}], ids=str)
def test_it_knows_when_there_is_more_to_one_than_a_plain_row(terms: dict[str, Any]) -> None:
    lane = Lane(1, 0)
    lane.append(1, plain(1, **terms))
    lane.append(1, plain(2))
    assert not lane.is_plain


@pytest.mark.parametrize(
    ("first", "stored", "waiting", "is_whole"),
    [
        (3, 4, [], True),
        (3, 3, [], False),  # one between went elsewhere
        (2, 4, [], False),  # nobody knows where they begin
        (3, 4, [7], True),
        (3, 4, [8], False),  # a sequence is another's
        (7, 0, [], True),
    ],
)
def test_it_is_whole_if_every_sequence_is_a_row(
    first: int, stored: int, waiting: list[int], *, is_whole: bool
) -> None:
    lane = Lane(first, 6, stored)
    for sequence in waiting:
        lane.append(1, newcomer(sequence))
    assert lane.is_whole is is_whole
