"""A table cut into requests: each an Arrow stream that the broker takes in one go. No I/O."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.wire.amqp import CannotEncode
from penstock.wire.arrow import arrow, outgoing_batch

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["requests_of"]

#: Bytes of one request, about: four of the broker's own large reads, and far below what it refuses.
REQUEST: Final = 4 * 1024 * 1024
#: Rows of one request at most; the broker refuses four times as many.
ROWS: Final = 16_384
#: What pandas calls an index that it makes a column of.
INDEX: Final = "__index_level_"


def requests_of(table: Any, exchange: str, routing_key: str | None) -> Iterator[tuple[int, bytes]]:
    """How many rows, and the stream that holds them, for each request.

    Raises:
        CannotEncode: it is no table, or has columns or values that no message has.
    """
    done = 0
    for batch in _batches(table):
        for piece in _pieces(batch):
            try:
                packed = outgoing_batch(piece, exchange, routing_key)
            except CannotEncode as exc:
                raise CannotEncode(f"{exc} (rows are counted from {done})" if done else str(exc)) from exc
            yield piece.num_rows, _stream(packed)
            done += piece.num_rows


def _batches(table: Any) -> Iterator[Any]:
    pa = arrow()
    if not hasattr(table, "__arrow_c_stream__"):
        raise CannotEncode(
            "a table is anything that speaks Arrow, as pandas 2.2, Polars, DuckDB and pyarrow do; "
            f"{type(table).__name__} does not"
        )
    for batch in pa.RecordBatchReader.from_stream(table):
        names = [name for name in batch.schema.names if not name.startswith(INDEX)]
        yield batch.select(names)


def _pieces(batch: Any) -> Iterator[Any]:
    count = batch.num_rows
    step = max(1, min(count, ROWS, count * REQUEST // max(batch.get_total_buffer_size(), 1)))
    for start in range(0, count, step):
        yield batch.slice(start, step)


def _stream(batch: Any) -> bytes:
    pa = arrow()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    stream: bytes = sink.getvalue().to_pybytes()
    return stream
