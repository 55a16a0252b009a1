from __future__ import annotations

import pickle
from itertools import pairwise

import pytest

from penstock.pipelines.source.partition import WORTH_A_TASK, Range, split


@pytest.mark.parametrize(
    ("rows", "pieces", "expected"),
    [(0, 4, 0), (1, 4, 1), (WORTH_A_TASK * 2, 4, 2), (100_001, 4, 4), (100_001, 1, 1)],
)
def test_pieces_follow_each_other_and_leave_nothing_out(rows: int, pieces: int, expected: int) -> None:
    ranges = split(10, 10 + rows, pieces)

    assert len(ranges) == expected
    assert sum(each.end - each.start for each in ranges) == rows
    assert all(one.end == two.start for one, two in pairwise(ranges))
    assert split(10, 10 + rows, pieces) == ranges


def test_a_piece_travels() -> None:
    assert pickle.loads(pickle.dumps(Range(1, 2))) == Range(1, 2)  # noqa: S301 (as Spark does)
