"""Rows for the tests of tables, and the way of a range from the broker to its reader, without a socket."""

from __future__ import annotations

import io
from typing import Any

from penstock.wire.amqp import BasicProperties
from penstock.wire.arrow import FramedRows, RangeEncoder, Rows, read_stream

PLAIN = BasicProperties.of().raw


def rows(*properties: bytes, **columns: Any) -> Rows:
    """As many rows as property lists; the other columns say little unless they are given."""
    count = len(properties)
    usual: dict[str, Any] = {
        "positions": range(1, count + 1),
        "exchanges": [""] * count,
        "routing_keys": ["orders"] * count,
        "bodies": [b"body"] * count,
        "redelivered": [False] * count,
        "arrived": [1.5] * count,
    }
    return Rows(properties=list(properties), **(usual | columns))


def stream_of(*batches: Rows | FramedRows) -> bytes:
    """The whole of a range, as it travels."""
    encoder = RangeEncoder(*{type(batch) for batch in batches})
    pieces = encoder.begin()
    for batch in batches:
        pieces += encoder.add(batch)
    return b"".join(pieces + encoder.end())


def travelled(batch: Rows | FramedRows) -> Any:
    """A batch as it arrives at its reader."""
    [found] = read_stream(io.BytesIO(stream_of(batch)))
    return found
