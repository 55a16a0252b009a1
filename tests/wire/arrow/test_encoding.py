from __future__ import annotations

import io
import subprocess
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from penstock.wire.arrow import JoinedBytes, RangeEncoder, read_stream
from penstock.wire.arrow.columns import WIRE_COLUMNS
from penstock.wire.arrow.encoding import binary_array, wire_batch
from tests.wire.arrow.support import PLAIN, rows, stream_of, travelled

if TYPE_CHECKING:
    from collections.abc import Sequence


def test_what_goes_in_comes_out() -> None:
    batch = travelled(
        rows(
            PLAIN,
            PLAIN,
            PLAIN,
            positions=[7, 8, 9],
            exchanges=["", "amq.topic", ""],
            routing_keys=["a", "b", "a"],
            bodies=[b"one", b"", b"\x00\xff"],
            redelivered=[False, True, False],
            arrived=[0.0, 1_700_000_000.25, 1.0],
        )
    )
    assert batch.schema.names == list(WIRE_COLUMNS)
    assert batch.to_pydict() == {
        "position": [7, 8, 9],
        "exchange": [b"", b"amq.topic", b""],
        "routing_key": [b"a", b"b", b"a"],
        "properties": [PLAIN] * 3,
        "body": [b"one", b"", b"\x00\xff"],
        "redelivered": [False, True, False],
        "arrived": [
            datetime(1970, 1, 1, tzinfo=UTC),
            datetime(2023, 11, 14, 22, 13, 20, 250_000, tzinfo=UTC),
            datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
        ],
    }


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        # A body that the disk has lost.
        ("bodies", [b"a", None], [b"a", None]),
        # A message of which nobody knows when it came.
        ("arrived", [None, 0.0], [None, datetime(1970, 1, 1, tzinfo=UTC)]),
        # Not every client writes UTF-8.
        ("exchanges", ["x\udce9", "x"], [b"x\xe9", b"x"]),
        ("redelivered", [False, False], [False, False]),
    ],
)
def test_odd_values_travel_too(column: str, values: list[Any], expected: list[Any]) -> None:
    batch = travelled(rows(PLAIN, PLAIN, **{column: values}))
    name = {"bodies": "body", "exchanges": "exchange"}.get(column, column)
    assert batch.column(name).to_pylist() == expected


def test_batches_follow_each_other_each_with_names_of_its_own() -> None:
    stream = stream_of(rows(PLAIN, routing_keys=["a"]), rows(PLAIN, PLAIN, routing_keys=["b", "c"]))
    keys = [batch.column("routing_key").to_pylist() for batch in read_stream(io.BytesIO(stream))]
    assert keys == [[b"a"], [b"b", b"c"]]


def test_no_rows_at_all_are_a_table_too() -> None:
    assert travelled(rows()).num_rows == 0


def test_a_large_column_is_handed_on_without_a_copy() -> None:
    encoder = RangeEncoder()
    encoder.begin()
    pieces = encoder.add(rows(PLAIN, bodies=[b"x" * 100_000]))
    assert 100_000 in [len(piece) for piece in pieces if isinstance(piece, memoryview)]


def test_bytes_make_a_valid_array() -> None:
    made = binary_array([b"a", b"", b"bcd"])
    made.validate(full=True)
    assert made.equals(pa.array([b"a", b"", b"bcd"], pa.binary()))


def test_a_range_is_encoded_without_pandas() -> None:
    """pyarrow imports it for the asking, and a broker's loop would stand still for a second."""
    program = """
import sys
from penstock.wire.arrow import FramedRows, JoinedBytes, RangeEncoder, Same
rows = FramedRows([1, 2], Same("", 2), ["a", "b"], JoinedBytes(b"xy", [1, 1]), Same(False, 2), Same(0.0, 2))
encoder = RangeEncoder(FramedRows)
assert encoder.begin() + encoder.add(rows) + encoder.end()
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)  # noqa: S603  our own


@pytest.mark.parametrize("contents", [[], [b""], [b"a"], [b"ab", b"cd", b"ef"], [b"a", b"bc"], [b"", b""]])
def test_lengths_may_be_the_same_or_not(contents: list[bytes]) -> None:
    made = binary_array(JoinedBytes(b"".join(contents), [*map(len, contents)]))
    made.validate(full=True)
    assert made.to_pylist() == contents


@pytest.mark.parametrize("positions", [range(7, 9), [7, 8]])
def test_positions_may_be_a_range_or_not(positions: Sequence[int]) -> None:
    batch = wire_batch(rows(PLAIN, PLAIN, positions=positions))
    assert batch.column("position").to_pylist() == [7, 8]
