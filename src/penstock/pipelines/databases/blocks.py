"""Columns of a block as PostgreSQL gathered them, turned into Arrow without looking at single rows. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["block_of"]


def block_of(
    names: Sequence[str], are_integers: Sequence[bool], count: int, gathered: Sequence[bytes]
) -> pa.RecordBatch:
    """The rows of a block.

    Args:
        names: Of the columns.
        are_integers: Which of them are; the others are text.
        count: How many rows there are.
        gathered: For each integer column its values, for each text its lengths and then its values.
    """
    pieces = iter(gathered)
    arrays = [integers(next(pieces)) if is_integer else texts(count, pieces) for is_integer in are_integers]
    return pa.RecordBatch.from_arrays(arrays, names=list(names))


def integers(data: bytes) -> pa.Array:
    """Values of eight bytes each, in the network's order."""
    return pa.array(np.frombuffer(data, dtype=">i8").astype(np.int64))


def texts(count: int, pieces: Iterator[bytes]) -> pa.Array:
    """Lengths of four bytes each, in the network's order, and the texts one behind the other."""
    offsets = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.frombuffer(next(pieces), dtype=">i4"), out=offsets[1:])
    return pa.StringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(next(pieces)))
