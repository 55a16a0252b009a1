"""Foresight: ranges that somebody will ask for next are begun while nobody reads from their reader.

Between two batches a streaming query thinks, and disk and cores are idle; measured with batches of 50,000
rows of 1 KB, that is a fifth of the time. What was made ahead waits in memory, so it is little, and not for
long.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from asyncio import Task, TimerHandle
    from collections.abc import AsyncGenerator, Callable, Sequence

    from penstock.broker.reader import Reader

    Stream = AsyncGenerator[list[Any]]
    Span = tuple[int, int]

__all__ = ["Foresight"]

#: Bytes of a batch that wait for its reader, about, and how many readers have any.
MOST: Final = 24 * 1024 * 1024
READERS: Final = 4
#: Batches of one reader that are expected at once: the one to be read now, and the next.
AT_ONCE: Final = 2
#: Seconds until what nobody has asked for is forgotten.
KEPT_IN: Final = 5.0


class _Begun:
    """A stream of which the beginning is made ahead."""

    def __init__(self, stream: Stream, most: int) -> None:
        self._stream = stream
        self._most = most
        self._pieces: deque[list[Any]] = deque()
        self._making: Task[None] | None = None
        self._is_wanted = False

    @property
    def is_made(self) -> bool:
        """Whether as much is there as may be."""
        return self._making is not None and self._making.done()

    def begin(self, then: Callable[[], None]) -> None:
        """Make it, if nobody does; and then something else."""
        if self._making is None:
            self._making = asyncio.get_running_loop().create_task(self._make())
            self._making.add_done_callback(lambda _: then())

    async def _make(self) -> None:
        size = 0
        while size < self._most and not self._is_wanted:
            pieces = await anext(self._stream, None)
            if pieces is None:
                return
            self._pieces.append(pieces)
            size += sum(map(len, pieces))

    async def stream(self) -> Stream:
        """All of it: what is there, and then the rest."""
        self._is_wanted = True
        async with aclosing(self._stream):
            if self._making is not None:
                await self._making
            while self._pieces:
                yield self._pieces.popleft()
            async for pieces in self._stream:
                yield pieces

    async def forget(self) -> None:
        self._is_wanted = True
        if self._making is not None:
            await asyncio.gather(self._making, return_exceptions=True)
        await self._stream.aclose()


class Foresight:
    """The ranges of all readers that are foreseen."""

    def __init__(self) -> None:
        #: What was expected together, the first first: a query tells of its next batch before it reads this.
        self._begun: dict[Reader, list[dict[Span, _Begun]]] = {}
        #: How many ranges of a reader somebody reads now.
        self._reading: Counter[Reader] = Counter()
        self._timers: dict[Reader, TimerHandle] = {}
        #: Loops keep tasks no longer than somebody else does.
        self._forgetting: set[Task[None]] = set()

    def __repr__(self) -> str:
        return f"<Foresight of {len(self._begun)} readers>"

    def expect(self, reader: Reader, spans: Sequence[Span], made: Callable[[int, int], Stream]) -> None:
        """These will be asked for, after those that are expected now; `made` makes their streams."""
        if not spans or (reader not in self._begun and len(self._begun) >= READERS):
            return
        expected = self._begun.setdefault(reader, [])
        expected.append({span: _Begun(made(*span), MOST // len(spans)) for span in spans})
        if len(expected) > AT_ONCE:
            self._end(expected.pop(0))
        self._set_timer(reader)
        self._go_on(reader)

    async def stream(
        self, reader: Reader, start: int, end: int, made: Callable[[int, int], Stream]
    ) -> Stream:
        """A range's stream, which may have begun already."""
        begun = self._maybe_begun(reader, (start, end))
        stream = made(start, end) if begun is None else begun.stream()
        self._reading[reader] += 1
        try:
            async with aclosing(stream):
                async for pieces in stream:
                    yield pieces
        finally:
            self._reading[reader] -= 1
            self._go_on(reader)

    def _maybe_begun(self, reader: Reader, span: Span) -> _Begun | None:
        return next((some.pop(span) for some in self._begun.get(reader, ()) if span in some), None)

    def _go_on(self, reader: Reader) -> None:
        """Whoever reads now comes first, and what is read next before what is read then."""
        expected = self._begun.get(reader, [])
        while expected and not expected[0]:
            del expected[0]
        if self._reading[reader]:
            return
        del self._reading[reader]
        # One at a time: the query has the other core for its own thoughts, and these are what is waited for.
        first = expected[0].values() if expected else ()
        if (begun := next((each for each in first if not each.is_made), None)) is not None:
            begun.begin(partial(self._go_on, reader))

    def _set_timer(self, reader: Reader) -> None:
        if reader in self._timers:
            self._timers[reader].cancel()
        self._timers[reader] = asyncio.get_running_loop().call_later(KEPT_IN, self._forget, reader)

    def _forget(self, reader: Reader) -> None:
        self._timers.pop(reader).cancel()
        for some in self._begun.pop(reader):
            self._end(some)

    def _end(self, some: dict[Span, _Begun]) -> None:
        for begun in some.values():
            task = asyncio.get_running_loop().create_task(begun.forget())
            self._forgetting.add(task)
            task.add_done_callback(self._forgetting.discard)

    async def close(self) -> None:
        """Forget everything."""
        for reader in list(self._begun):
            self._forget(reader)
        await asyncio.gather(*self._forgetting)
