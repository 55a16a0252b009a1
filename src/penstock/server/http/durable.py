"""Waits until what was done is on disk: nothing is told before."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.broker import Broker

__all__ = ["durable"]


class _Waiter:
    def __init__(self) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def written(self, batch: int) -> None:
        if not self.done.done():
            self.done.set_result(None)


async def durable(broker: Broker) -> None:
    """Have the broker write, and wait for it."""
    waiter = _Waiter()
    broker.after_write(waiter)
    broker.turn()
    await waiter.done
