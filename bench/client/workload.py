"""What every client does here, the same for all, and how a client tells that it has done it."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import TracebackType
    from typing import Self

__all__ = ["AT_ONCE", "BODY", "PREFETCH", "QUEUE", "Side", "Stopwatch", "timed"]

QUEUE: Final = "bench-client"
BODY: Final = b"x" * 100
#: How many publish at once, each its next message when the last one is confirmed.
AT_ONCE: Final = 500
#: Messages a consumer may have in hand.
PREFETCH: Final = 500


class Side(Protocol):
    """A client library under the workload. Each verb returns the seconds that the messages took."""

    name: str

    def publish(self, url: str, count: int) -> float:
        """Publish so many to QUEUE, each confirmed and mandatory."""
        ...

    def consume(self, url: str, count: int) -> float:
        """Consume so many from QUEUE, each acknowledged on its own."""
        ...


class Stopwatch:
    """The seconds of a block."""

    seconds = 0.0

    def __enter__(self) -> Self:
        self._begun = perf_counter()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _exc: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.seconds = perf_counter() - self._begun


async def timed(publish: Callable[[], Awaitable[object]], count: int) -> float:
    """The seconds of so many publishes by AT_ONCE tasks, as the requests of an application make them."""
    left = iter(range(count))

    async def one_of_many() -> None:
        for _ in left:
            await publish()

    with Stopwatch() as watch:
        await asyncio.gather(*[one_of_many() for _ in range(AT_ONCE)])
    return watch.seconds
