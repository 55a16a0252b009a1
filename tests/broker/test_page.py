from __future__ import annotations

import pytest

from penstock.broker.page import Page
from penstock.store import Joined


def rows(*sequences: int) -> list[tuple[int, bytes, str, str, int, int]]:
    return [(each, b"", "p", "d", 0, 1) for each in sequences]


@pytest.mark.parametrize(
    ("sequences", "arrived", "eras"),
    [
        ((5, 6, 7), [(5, 1.0)], [(1.0, 3)]),
        ((5, 6, 7), [(5, 1.0), (7, 2.0)], [(1.0, 2), (2.0, 1)]),
        ((5, 9), [(5, 1.0), (7, 2.0)], [(1.0, 1), (2.0, 1)]),  # what did not survive left a hole
        ((9,), [(5, 1.0), (7, 2.0)], [(1.0, 0), (2.0, 1)]),  # a later page of the same
        ((5,), [(5, 1.0), (7, 2.0)], [(1.0, 1), (2.0, 0)]),  # an earlier one
    ],
)
def test_it_tells_when_how_many_came(
    sequences: tuple[int, ...], arrived: list[tuple[int, float]], eras: list[tuple[float, int]]
) -> None:
    page = Page(0, arrived, rows(*sequences))
    assert (page.eras(), len(page)) == (eras, len(sequences))
    assert [page.came_at(each) for each in sequences] == [at for at, count in eras for _ in range(count)]


def test_rows_that_are_joined_have_sequences_as_well() -> None:
    page = Page(0, [(3, 1.0), (4, 2.0)], Joined(range(3, 6), "p", "d", b"abc", [1, 1, 1]))
    assert (list(page.sequences), len(page), page.eras()) == ([3, 4, 5], 3, [(1.0, 1), (2.0, 2)])
