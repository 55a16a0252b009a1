from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.reconcile import differences as module
from penstock.pipelines.reconcile.differences import Difference, Differences

if TYPE_CHECKING:
    import pytest

    from tests.pipelines.reconcile.shop import Shop

FOUND = [Difference("r", (number, "é"), number % 2 == 0) for number in range(5)]


def test_what_was_found_is_kept_until_it_is_told(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 2)
    differences = Differences()
    differences.metadata.create_all(shop.engine)
    with shop.engine.begin() as connection:
        assert differences.add(connection, "threads", FOUND) == 5
        assert differences.add(connection, "votes", FOUND[:1]) == 1
    with shop.engine.begin() as connection:
        assert differences.left(connection, "threads") == 5
        first = differences.first(connection, "threads", 3)
        assert first == FOUND[:3]
        differences.remove(connection, "threads", first)
        assert differences.first(connection, "threads", 3) == FOUND[3:]
        assert differences.left(connection, "votes") == 1


def test_a_row_that_differs_in_one_copy_and_is_missing_in_another_is_two_differences(shop: Shop) -> None:
    differences = Differences()
    differences.metadata.create_all(shop.engine)
    both = [Difference("r", (1,), is_copied=False), Difference("r", (1,), is_copied=True)]
    with shop.engine.begin() as connection:
        differences.add(connection, "threads", both)
        differences.add(connection, "threads", both)
        assert differences.first(connection, "threads", 9) == both
        differences.remove(connection, "threads", both[:1])
        assert differences.first(connection, "threads", 9) == both[1:]
