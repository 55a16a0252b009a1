from __future__ import annotations

import pyarrow as pa
import pytest

from penstock.wire.arrow import is_compressed

LONG = pa.array(["x" * 1000] * 10)
TABLES = {
    "plain": pa.record_batch([LONG], ["a"]),
    "dictionary": pa.record_batch([LONG.dictionary_encode()], ["a"]),
    "nothing": pa.record_batch([pa.array([], pa.string())], ["a"]),
}


def stream(batch: pa.RecordBatch, codec: str | None) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("codec", [None, "zstd", "lz4"])
def test_what_is_compressed_is_found_out(name: str, codec: str | None) -> None:
    assert is_compressed(stream(TABLES[name], codec)) is (codec is not None)


@pytest.mark.parametrize("raw", [b"no stream at all", stream(TABLES["plain"], None)[:100], b"\xff" * 64])
def test_what_is_no_stream_is_said_to_be_none(raw: bytes) -> None:
    with pytest.raises((OSError, ValueError)):
        is_compressed(raw)
