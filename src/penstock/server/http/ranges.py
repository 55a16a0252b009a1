"""Ranges: what a reader has taken, as an Arrow stream of batches that are neither small nor slow to make.

A batch is made in a few milliseconds, so that the other clients of the loop go on; the next one is made when
the last has left, of rows that were read meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from penstock.server.amqp.form import AmqpForm
from penstock.server.http.replies import HttpFault
from penstock.server.http.rows import BATCH, rows_of, weight_of
from penstock.server.http.warming import warm_up
from penstock.wire.arrow import FramedRows, RangeEncoder

if TYPE_CHECKING:
    from asyncio import Task
    from collections.abc import AsyncGenerator
    from typing import Self

    from penstock.broker.page import Part
    from penstock.broker.reader import Reader
    from penstock.server.amqp.bodies import LargeBodies

__all__ = ["KIND", "check_range", "range_batches"]

KIND: Final = "application/vnd.apache.arrow.stream"
#: Messages of the first batch, before it is known how large they are; and the most of any.
FIRST: Final = 256
MOST: Final = 4096


def check_range(reader: Reader, start: int, end: int) -> None:
    """Refuse what cannot be read.

    Raises:
        HttpFault: 400, it ends before it begins; 410, some of it is committed; 416, some is not taken yet.
    """
    if start > end:
        raise HttpFault(400, f"a range ends where it starts or later, not from {start} to {end}")
    if start < reader.committed:
        gone = f"positions up to {reader.committed} are committed and forgotten; it begins after {start}"
        raise HttpFault(410, gone, kind="RangeGone")
    if end > reader.taken:
        ahead = f"nothing is taken beyond {reader.taken}; the range ends at {end}"
        raise HttpFault(416, ahead, kind="RangeGone")


async def range_batches(
    reader: Reader, start: int, end: int, bodies: LargeBodies
) -> AsyncGenerator[list[Any]]:
    """The pieces of a range's stream, batch by batch.

    Raises:
        ArrowMissing: before anything else.
    """
    await warm_up()
    encoder = RangeEncoder(FramedRows)
    yield encoder.begin()
    count = FIRST
    async with _Following(reader, end) as following:
        following.ask(start, count)
        while (asked := following.asked) is not None:
            until, parts = asked[0], await asked[1]
            found, size = sum(map(len, parts)), sum(map(weight_of, parts))
            count = max(min(BATCH * max(found, 1) // max(size, 1), 2 * count, MOST), 1)
            following.ask(until, count)
            for part in parts:
                async for rows in rows_of(part, bodies):
                    yield encoder.add(rows)
    yield encoder.end()


class _Following:
    """What is read while the batch before it leaves: the disk need not wait for the peer."""

    def __init__(self, reader: Reader, end: int) -> None:
        self._reader = reader
        self._end = end
        #: Up to where, and who is at it; None if nothing is left.
        self.asked: tuple[int, Task[list[Part]]] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_exc: object) -> None:
        if self.asked is not None:
            self.asked[1].cancel()
            # Nobody wants to know any more what became of it.
            await asyncio.gather(self.asked[1], return_exceptions=True)

    def ask(self, start: int, count: int) -> None:
        if start >= self._end:
            self.asked = None
            return
        until = min(start + count, self._end)
        reading = self._reader.read(start, until, AmqpForm.number)
        self.asked = until, asyncio.get_running_loop().create_task(reading)
