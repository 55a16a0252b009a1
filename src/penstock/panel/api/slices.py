"""Slices: long lists are worked through some at a time.

The broker's clients wait for the same loop, and do not notice how long a list is. Rows become JSON as they
are made and are let go of at once: ten thousand of them kept together would have the garbage collector look
through the whole broker.
"""

from __future__ import annotations

import asyncio
from itertools import compress, islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from penstock.panel.replies import as_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

__all__ = ["QUICK", "SLICE", "chosen", "gathered", "mapped", "ordered", "written"]

#: Rows that are made in one go, and things of which only a value is looked at: about a millisecond each.
SLICE: Final = 50
QUICK: Final = 1_000

T = TypeVar("T")
V = TypeVar("V")


async def _slices(things: Sequence[T], size: int) -> AsyncIterator[Sequence[T]]:
    for start in range(0, len(things), size):
        if start:
            await asyncio.sleep(0)
        yield things[start : start + size]


async def gathered(things: Iterable[T], size: int = QUICK) -> list[T]:
    """All of what is made one by one."""
    found: list[T] = []
    left = iter(things)
    while some := list(islice(left, size)):
        found += some
        await asyncio.sleep(0)
    return found


async def mapped(things: Sequence[T], work: Callable[[T], V], size: int = QUICK) -> list[V]:
    """What comes of each of them."""
    found: list[V] = []
    async for some in _slices(things, size):
        found += map(work, some)
    return found


async def chosen(things: Sequence[T], fits: Callable[[T], object]) -> list[T]:
    """Those that fit."""
    return list(compress(things, await mapped(things, fits)))


async def ordered(
    things: Sequence[T], key: Callable[[T], Any], *, backwards: bool = False, size: int = QUICK
) -> list[T]:
    """The same in order of a key; equal ones stay as they are."""
    keys = await mapped(things, key, size)
    order: list[int] = []
    async for some in _slices(range(len(things)), QUICK):
        order += sorted(some, key=keys.__getitem__, reverse=backwards)
    # What is in order slice by slice has only to be merged, which takes a fraction of the time.
    order.sort(key=keys.__getitem__, reverse=backwards)
    return [things[index] for index in order]


async def written(things: Sequence[T], row: Callable[[T], Any], size: int = SLICE) -> bytes:
    """Their rows, as a list in JSON."""
    parts = [as_json(list(map(row, some)))[1:-1] async for some in _slices(things, size)]
    return b"[" + b",".join(parts) + b"]"
