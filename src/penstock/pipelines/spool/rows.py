"""Messages in hand as the columns of a block, without those that were spooled before. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.pipelines.spool.seen import key_of
from penstock.wire.amqp.identity import identity
from penstock.wire.arrow import RangeEncoder, Rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    keys: list[str]
    #: An Arrow IPC stream of one batch.
    pieces: list[bytes | memoryview]


def new_rows(messages: Sequence[Fed], seen: Seen, first: int, now: float) -> NewRows:
    """Those of the messages that nobody has seen, at positions from the first on."""
    keys: list[str] = []
    also: set[str] = set()
    new: list[Fed] = []
    for message in messages:
        key = key_of(identity(message.properties.raw).message_id, message.body)
        if seen.is_new(key, also):
            new.append(message)
            keys.append(key)
    bodies = [message.body for message in new]
    count = len(new)
    if not count:
        return NewRows(0, 0, [], [])
    rows = Rows(
        positions=range(first, first + count),
        exchanges=[message.exchange for message in new],
        routing_keys=[message.routing_key for message in new],
        properties=[message.properties.raw for message in new],
        bodies=bodies,
        redelivered=[message.redelivered for message in new],
        arrived=[now] * count,
    )
    encoder = RangeEncoder()
    pieces = [*encoder.begin(), *encoder.add(rows), *encoder.end()]
    return NewRows(count, sum(map(len, bodies)), keys, pieces)


def keys_in(batch: pa.RecordBatch) -> Iterable[str]:
    """What the messages of a block that was read back are known by."""
    for raw, body in zip(
        batch.column("properties").to_pylist(), batch.column("body").to_pylist(), strict=True
    ):
        yield key_of(identity(raw).message_id, body)
