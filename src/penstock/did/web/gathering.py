"""Gathering operations: what comes while the broker confirms others is published next, all with one wait.

Whoever comes alone waits for nobody; the more come, the more go together.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from penstock.errors import PublishRefused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from penstock.did.operation_queue import QueuedOperation
    from penstock.errors import PublishError

    AddMany = Callable[[Sequence[QueuedOperation]], Awaitable[list[PublishError | None]]]

__all__ = ["Gathering"]

#: Operations that are published with one wait.
BATCH: Final = 500
#: Operations that may wait for that; who comes then is better off trying again later.
MOST: Final = 20_000


class Gathering:
    """Adds operations to the queue, many at a time."""

    def __init__(self, add_many: AddMany, *, batch: int = BATCH, most: int = MOST) -> None:
        self._add_many = add_many
        self._batch = batch
        self._most = most
        self._waiting: list[tuple[QueuedOperation, asyncio.Future[None]]] = []
        self._publishing: asyncio.Task[None] | None = None

    async def add(self, operation: QueuedOperation) -> None:
        """Add an operation, and return when the broker has it for certain.

        Raises:
            PublishError, NotConnected: the broker does not have it, or nobody can tell.
        """
        if len(self._waiting) >= self._most:
            raise PublishRefused(f"{self._most} operations wait for the broker already: try again later")
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((operation, done))
        if self._publishing is None:
            self._publishing = asyncio.create_task(self._publish(), name="gathered operations")
        # Whoever goes away leaves the operation with the others.
        await done

    async def _publish(self) -> None:
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[: self._batch], self._waiting[self._batch :]
                await self._publish_batch(batch)
        finally:
            self._publishing = None

    async def _publish_batch(self, batch: list[tuple[QueuedOperation, asyncio.Future[None]]]) -> None:
        errors: Sequence[BaseException | None]
        try:
            errors = await self._add_many([operation for operation, _ in batch])
        except Exception as exc:  # noqa: BLE001  it is everybody's, and raised where each waits
            errors = [exc] * len(batch)
        for (_, done), error in zip(batch, errors, strict=True):
            if done.done():
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)
