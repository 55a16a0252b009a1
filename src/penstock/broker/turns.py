"""Turns: work that is too long for others to wait for; it yields where they may have their turn."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.wiring.pieces import Pieces

__all__ = ["in_background", "in_turns"]

T = TypeVar("T")


async def in_turns(work: Pieces[T]) -> T:
    """Do it a piece a turn of the loop, and wait for what it returns."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            return cast("T", done.value)
        await asyncio.sleep(0)


def in_background(work: Iterator[Any]) -> None:
    """Do the first piece now, and the others a piece a turn of the loop; nobody waits for it."""
    for _ in work:
        asyncio.get_running_loop().call_soon(in_background, work)
        return
