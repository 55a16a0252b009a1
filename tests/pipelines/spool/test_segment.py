from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from penstock.pipelines.spool.block import encode
from penstock.pipelines.spool.rows import new_rows
from penstock.pipelines.spool.seen import Seen
from penstock.pipelines.spool.segment import Segment, batches_of, blocks_of, segments_of
from tests.pipelines.spool.letters import lot

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, *ranges: tuple[int, int]) -> Segment:
    segment = Segment(folder, ranges[0][0])
    for first, last in ranges:
        new = new_rows(lot(first, last), Seen(), first, 1.0)
        segment.append(encode(new.pieces, segment.size, first, new.size, new.rows)[1])
    return segment


def positions(path: Path, start: int, end: int) -> list[int]:
    return [position for batch in batches_of(path, start, end) for position in batch["position"].to_pylist()]


def test_ranges_are_cut_out_of_blocks(tmp_path: Path) -> None:
    segment = write(tmp_path, (1, 10), (11, 20), (21, 30))

    assert positions(segment.path, 0, 30) == list(range(1, 31))
    assert positions(segment.path, 8, 12) == [9, 10, 11, 12]
    assert positions(segment.path, 10, 20) == list(range(11, 21))
    assert positions(segment.path, 30, 40) == []
    segment.close()


def test_blocks_are_found_in_a_segment_that_is_still_written_to(tmp_path: Path) -> None:
    segment = write(tmp_path, (5, 6))

    assert [(block.first, block.rows) for block in blocks_of(segment.path, checked=True)] == [(5, 2)]
    segment.close()


def test_segments_are_in_the_order_of_their_positions(tmp_path: Path) -> None:
    for first in (900, 1, 20_000_000_000):
        Segment(tmp_path, first).close()

    assert [int(path.stem) for path in segments_of(tmp_path)] == [1, 900, 20_000_000_000]
    assert blocks_of(segments_of(tmp_path)[0]) == []


def test_a_write_that_was_cut_short_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment = Segment(tmp_path, 1)
    monkeypatch.setattr(os, "writev", lambda file, pieces: os.write(file, pieces[0][:2]))

    segment.append([b"one", b"two", b"three"])
    segment.close()

    assert segment.path.read_bytes() == b"onetwothree"
    assert segment.size == 11


def test_what_could_not_be_written_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segment = write(tmp_path, (1, 2))
    size = segment.path.stat().st_size

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        with pytest.raises(OSError, match="No space"):
            segment.append([b"half a ", b"block"])

    assert segment.path.stat().st_size == size
    segment.close()
