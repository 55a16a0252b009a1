"""Long lists in slices: the same as in one go, with others' turns in between."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import TYPE_CHECKING, Any

from penstock.panel.api.slices import QUICK, SLICE, chosen, gathered, mapped, ordered, written

if TYPE_CHECKING:
    from collections.abc import Coroutine

NUMBERS = Random(1).choices(range(1000), k=3 * QUICK)


def turns_and(work: Coroutine[Any, Any, Any]) -> tuple[int, Any]:
    """How many turns others had, and what came of it."""

    async def story() -> tuple[int, Any]:
        task, turns = asyncio.create_task(work), 0
        while not task.done():
            await asyncio.sleep(0)
            turns += 1
        return turns, await task

    return asyncio.run(story())


def test_each_of_them_and_those_that_fit() -> None:
    turns, found = turns_and(mapped(NUMBERS, lambda number: number * 2))
    assert turns >= 3
    assert found == [number * 2 for number in NUMBERS]
    assert turns_and(gathered(iter(NUMBERS)))[1] == NUMBERS
    assert turns_and(chosen(NUMBERS, lambda n: n > 500))[1] == [n for n in NUMBERS if n > 500]


def test_order_is_as_if_they_were_sorted_in_one_go_equal_ones_as_they_are() -> None:
    things = list(enumerate(NUMBERS))
    for backwards in (False, True):
        turns, found = turns_and(ordered(things, lambda thing: thing[1], backwards=backwards))
        assert turns >= 5
        assert found == sorted(things, key=lambda thing: thing[1], reverse=backwards)


def test_rows_are_one_list_however_many_slices_there_are() -> None:
    for count in (0, 1, SLICE, SLICE + 1):
        body = turns_and(written(NUMBERS[:count], lambda number: {"n": number}))[1]
        assert json.loads(body) == [{"n": number} for number in NUMBERS[:count]]
