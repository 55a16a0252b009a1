"""Work in pieces: in turns, or behind everybody's back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.broker.turns import in_background, in_turns

if TYPE_CHECKING:
    from collections.abc import Generator


def work(done: list[str]) -> Generator[None, None, str]:
    for piece in "abc":
        done.append(piece)
        yield
    return "finished"


def test_others_have_their_turn_in_between() -> None:
    async def story() -> None:
        done: list[str] = []
        task = asyncio.create_task(in_turns(work(done)))
        for _ in range(3):
            await asyncio.sleep(0)
            done.append("other")
        assert await task == "finished"
        assert done == ["a", "other", "b", "other", "c", "other"]

    asyncio.run(story())


def test_in_the_background_the_first_piece_is_done_now_and_nobody_waits() -> None:
    async def story() -> None:
        done: list[str] = []
        in_background(work(done))
        assert done == ["a"]
        for _ in range(3):
            await asyncio.sleep(0)
        assert done == ["a", "b", "c"]

    asyncio.run(story())
