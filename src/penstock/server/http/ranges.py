"""Ranges: what a reader has taken, as an Arrow stream of batches that are neither small nor slow to make.

A batch is made in a few milliseconds, so that the other clients of the loop go on; the next one is made when
the last has left.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final, cast

from penstock.errors import StoreError
from penstock.server.amqp.message import AmqpMessage, LargeMessage
from penstock.server.http.replies import HttpFault
from penstock.server.http.warming import warm_up
from penstock.wire.amqp.content import bodies_of
from penstock.wire.arrow import RangeEncoder, Rows

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Sequence

    from penstock.broker.reader import Reader, Taken
    from penstock.server.amqp.bodies import LargeBodies, LargeBody

__all__ = ["BATCH", "KIND", "check_range", "range_batches"]

log = logging.getLogger(__name__)

KIND: Final = "application/vnd.apache.arrow.stream"
#: Bytes of a batch, about. Smaller ones cost the reader, larger ones the others on the loop; and from a
#: mebibyte on the C library maps them anew each time (server/main.py): a row of 1 KB then cost 0.8 µs more.
BATCH: Final = 960 * 1024
#: Messages of the first batch, before it is known how large they are; and the most of any.
FIRST: Final = 256
MOST: Final = 4096
NO_ROWS: Final = Rows((), (), (), (), (), (), ())


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
    encoder = RangeEncoder()
    yield encoder.begin()
    count = FIRST
    while start < end:
        until = min(start + count, end)
        taken = await reader.read(start, until)
        size = 0
        for part in _parts(taken):
            rows = await _rows(part, bodies)
            yield encoder.add(rows)
            size += sum(map(len, filter(None, rows.bodies)))
        count = max(min(BATCH * max(len(taken), 1) // max(size, 1), 2 * count, MOST), 1)
        start = until
    yield encoder.end()


def _parts(taken: list[Taken]) -> Iterator[list[Taken]]:
    """Messages cut into batches of the right size; almost always they are one."""
    messages = cast("list[AmqpMessage]", [each.message for each in taken])
    is_plain = set(map(type, messages)) <= {AmqpMessage}
    if is_plain and sum([len(message.frames) for message in messages]) <= 2 * BATCH:
        yield taken
        return
    first = total = 0
    for number, message in enumerate(messages):
        total += message.size
        if total > BATCH and number > first:
            yield taken[first:number]
            first, total = number, message.size
    yield taken[first:]


async def _rows(taken: list[Taken], bodies: LargeBodies) -> Rows:
    if not taken:
        return NO_ROWS
    positions, messages, redelivered, arrived = zip(*taken, strict=True)
    return Rows(
        positions=positions,
        exchanges=[message.proxy for message in messages],
        routing_keys=[message.destination for message in messages],
        properties=[message.content.raw for message in messages],
        bodies=await _bodies(messages, bodies),
        redelivered=redelivered,
        arrived=arrived,
    )


async def _bodies(messages: Sequence[AmqpMessage], bodies: LargeBodies) -> list[bytes | None]:
    found: list[bytes | None] = [*bodies_of([message.frames for message in messages])]
    if LargeMessage in set(map(type, messages)):
        for number, message in enumerate(messages):
            if message.large is not None:
                found[number] = await _read(message.large, bodies)
    return found


async def _read(large: LargeBody, bodies: LargeBodies) -> bytes | None:
    """A body in a file. One that the disk has lost is null: it must not keep what comes after it."""
    try:
        return await bodies.run(large.read)
    except StoreError as error:
        log.error("a range has no body for one of its messages: %s", error)  # noqa: TRY400 (says it all)
        return None
