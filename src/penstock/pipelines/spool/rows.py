"""Messages in hand as the columns of a block, without those that were spooled before. Pure.

A block has the frames as they came: executors take them apart, and there may be many of those.
Whole columns at a time: measured, a message of 1 KB takes some 2 µs, half of them for what it is known by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.pipelines.spool.seen import key_of
from penstock.wire.amqp.content import bodies_of
from penstock.wire.arrow import FramedRows, JoinedBytes, RangeEncoder, Same
from penstock.wire.arrow.encoding import binary_array
from penstock.wire.arrow.framed import property_lists_in
from penstock.wire.arrow.property_lists import columns_of
from penstock.wire.arrow.shapes import slices_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from penstock.pipelines.spool.lot import Lot
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


def new_rows(lot: Lot, seen: Seen, first: int, now: float) -> NewRows:
    """Those of the messages that nobody has seen, at positions from the first on."""
    frames = JoinedBytes(b"".join(lot.frames), [*map(len, lot.frames)])
    bodies = bodies_of(lot.frames)
    keys = _keys_of(property_lists_in(binary_array(frames)), bodies)
    if repeated := seen.repeated(keys):
        return new_rows(lot.without(repeated), seen, first, now)
    count = len(keys)
    if not count:
        return NewRows(0, 0, [], [])
    rows = FramedRows(
        positions=range(first, first + count),
        exchanges=lot.exchanges,
        routing_keys=lot.routing_keys,
        frames=frames,
        redelivered=lot.redelivered,
        arrived=Same(now, count),
    )
    encoder = RangeEncoder(FramedRows)
    pieces = [*encoder.begin(), *encoder.add(rows), *encoder.end()]
    return NewRows(count, sum(map(len, bodies)), keys, pieces)


def keys_in(batch: pa.RecordBatch) -> list[bytes]:
    """What the messages of a block that was read back are known by."""
    if "frames" in batch.schema.names:
        frames = batch.column("frames")
        return _keys_of(property_lists_in(frames), bodies_of(frames.to_pylist()))
    # Blocks were once written with property lists and bodies apart.
    return _keys_of(batch.column("properties"), batch.column("body").to_pylist())


def _keys_of(lists: Any, bodies: Sequence[bytes]) -> list[bytes]:
    return list(map(key_of, _message_ids(lists), bodies))


def _message_ids(lists: Any) -> Sequence[bytes | None]:
    slices = slices_of(lists, ("message_id",))
    if slices is None:
        return columns_of(lists.to_pylist(), ("message_id",))["message_id"]
    if not slices:
        return [None] * len(lists)
    ids: list[bytes | None] = slices["message_id"].to_pylist()
    return ids
