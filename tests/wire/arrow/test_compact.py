from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.wire.arrow.compact import Eras, JoinedBytes, Same

counts = st.lists(st.integers(0, 5), max_size=5)
ends = st.none() | st.integers(0, 12)


def moments(column: Eras) -> list[float]:
    return [moment for moment, count in column.eras for _ in range(count)]


def contents(column: JoinedBytes) -> list[bytes]:
    data, at, found = bytes(column.data), 0, []
    for length in column.lengths:
        found.append(data[at : at + length])
        at += length
    assert at == len(data)
    return found


@given(counts, ends, ends)
def test_some_of_the_moments_are_those_of_a_list(
    counts: list[int], first: int | None, below: int | None
) -> None:
    column, rows = Eras([(float(at), count) for at, count in enumerate(counts)]), slice(first, below)
    assert moments(column[rows]) == moments(column)[rows]
    assert len(column[rows]) == len(moments(column)[rows])


@given(counts, ends, ends)
def test_some_of_the_bytes_are_those_of_a_list(
    lengths: list[int], first: int | None, below: int | None
) -> None:
    listed, rows = [bytes([at]) * length for at, length in enumerate(lengths)], slice(first, below)
    column = JoinedBytes(b"".join(listed), lengths)
    assert contents(column[rows]) == listed[rows]


@given(st.integers(0, 9), ends, ends)
def test_some_of_the_same_are_as_many_as_of_a_list(count: int, first: int | None, below: int | None) -> None:
    column, rows = Same("x", count), slice(first, below)
    assert (column[rows].value, len(column[rows])) == ("x", len([*range(count)][rows]))
