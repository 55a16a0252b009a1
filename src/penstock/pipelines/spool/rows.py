"""Messages in hand as the columns of a block, without those that were spooled before. Pure.

Whole columns at a time: measured, a message of 1 KB took some 4 µs, and 6 µs when each was looked at alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.pipelines.spool.seen import key_of
from penstock.wire.arrow import RangeEncoder, Rows
from penstock.wire.arrow.property_lists import columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from penstock.pipelines.spool.feed import Fed
    from penstock.pipelines.spool.seen import Seen

__all__ = ["NewRows", "keys_in", "new_rows"]


class NewRows(NamedTuple):
    """Messages that are to be written down."""

    #: How many.
    rows: int
    #: Bytes of their bodies together.
    size: int
    #: What they are known by.
    keys: list[bytes]
    #: An Arrow IPC stream of one batch.
    pieces: list[bytes | memoryview]


def new_rows(messages: Sequence[Fed], seen: Seen, first: int, now: float) -> NewRows:
    """Those of the messages that nobody has seen, at positions from the first on."""
    properties = [message.properties.raw for message in messages]
    bodies = [message.body for message in messages]
    keys = _keys_of(properties, bodies)
    if repeated := seen.repeated(keys):
        return new_rows(
            [each for place, each in enumerate(messages) if place not in repeated], seen, first, now
        )
    count = len(keys)
    if not count:
        return NewRows(0, 0, [], [])
    rows = Rows(
        positions=range(first, first + count),
        exchanges=[message.exchange for message in messages],
        routing_keys=[message.routing_key for message in messages],
        properties=properties,
        bodies=bodies,
        redelivered=[message.redelivered for message in messages],
        arrived=[now] * count,
    )
    encoder = RangeEncoder()
    pieces = [*encoder.begin(), *encoder.add(rows), *encoder.end()]
    return NewRows(count, sum(map(len, bodies)), keys, pieces)


def keys_in(batch: pa.RecordBatch) -> list[bytes]:
    """What the messages of a block that was read back are known by."""
    return _keys_of(batch.column("properties").to_pylist(), batch.column("body").to_pylist())


def _keys_of(properties: Sequence[bytes], bodies: Sequence[bytes]) -> list[bytes]:
    return list(map(key_of, columns_of(properties, ("message_id",))["message_id"], bodies))
