from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.did.operations.together import Together
from penstock.errors import StoreError
from tests.did.operation_queue.helpers import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Oracle:
    """Answers with the name in capitals, when it is let."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.error: Exception | None = None

    async def ask(self, names: Sequence[str]) -> Mapping[str, str]:
        self.asked.append(list(names))
        await self.may_answer.wait()
        if self.error:
            raise self.error
        return {name: name.upper() for name in names}


def test_what_is_asked_meanwhile_is_asked_together() -> None:
    async def story() -> None:
        oracle = Oracle()
        together = Together(oracle.ask, batch=3)
        oracle.may_answer.clear()
        first = asyncio.create_task(together.about("a"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        others = [asyncio.create_task(together.about(name)) for name in "bcbde"]
        await asyncio.sleep(0)
        oracle.may_answer.set()
        assert await asyncio.gather(first, *others) == list("ABCBDE")
        assert oracle.asked == [["a"], ["b", "c", "d"], ["e"]]
        assert await together.about("f") == "F"

    run(story())


def test_an_answer_is_never_older_than_the_question() -> None:
    async def story() -> None:
        oracle = Oracle()
        together = Together(oracle.ask)
        oracle.may_answer.clear()
        first = asyncio.create_task(together.about("a"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        # The question about it is on its way already, so it is asked once more.
        second = asyncio.create_task(together.about("a"))
        await asyncio.sleep(0)
        oracle.may_answer.set()
        await asyncio.gather(first, second)
        assert oracle.asked == [["a"], ["a"]]

    run(story())


def test_what_goes_wrong_is_everybodys_and_the_next_are_asked_anew() -> None:
    async def story() -> None:
        oracle = Oracle()
        together = Together(oracle.ask)
        oracle.error = StoreError("away")
        found = await asyncio.gather(together.about("a"), together.about("b"), return_exceptions=True)
        assert [type(each) for each in found] == [StoreError, StoreError]
        oracle.error = None
        assert await together.about("a") == "A"

    run(story())


def test_who_goes_away_takes_nobody_along() -> None:
    async def story() -> None:
        oracle = Oracle()
        together = Together(oracle.ask)
        oracle.may_answer.clear()
        gone, stays = (asyncio.create_task(together.about("a")) for _ in range(2))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gone.cancel()
        oracle.may_answer.set()
        assert await stays == "A"
        with pytest.raises(asyncio.CancelledError):
            await gone

    run(story())
