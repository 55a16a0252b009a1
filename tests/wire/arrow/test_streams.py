from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from penstock.wire.arrow import read_stream
from tests.wire.arrow.support import PLAIN, rows, stream_of

if TYPE_CHECKING:
    from collections.abc import Iterable

STREAM = stream_of(rows(PLAIN, bodies=[b"x" * 10_000]), rows(PLAIN, PLAIN))


class Trickle(io.BytesIO):
    """Tells how its bytes were asked for."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.filled: list[int] = []

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        self.filled.append(len(into))
        return super().readinto(into)


def counts(batches: Iterable[pa.RecordBatch]) -> list[int]:
    return [batch.num_rows for batch in batches]


def test_batches_come_one_by_one_and_the_end_is_read() -> None:
    source = io.BytesIO(STREAM)
    assert counts(read_stream(source)) == [1, 2]
    assert source.read() == b""


def test_what_is_large_is_read_straight_into_its_buffer() -> None:
    source = Trickle(STREAM)
    counts(read_stream(source))
    assert max(source.filled) > 10_000


@pytest.mark.parametrize("kept", [10, 500, len(STREAM) - 3_000])
def test_a_stream_that_breaks_off_is_an_error(kept: int) -> None:
    with pytest.raises((OSError, pa.ArrowInvalid)):
        counts(read_stream(io.BytesIO(STREAM[:kept])))


def test_a_reader_may_stop_in_the_middle() -> None:
    batches = read_stream(io.BytesIO(STREAM))
    assert next(batches).num_rows == 1
    batches.close()  # type: ignore[attr-defined]
