from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreDamaged
from penstock.pipelines.spool.reading import read
from penstock.pipelines.spool.spool import Spool
from tests.pipelines.spool.letters import lot

if TYPE_CHECKING:
    from pathlib import Path


def positions(folder: Path, start: int, end: int) -> list[int]:
    return [position for batch in read(folder, start, end) for position in batch["position"].to_pylist()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A spool of three segments, two messages in each."""
    spool = Spool(tmp_path, segment_size=1)
    spool.lock("a test")
    for first in (1, 3, 5):
        spool.append(lot(first, first + 1), 0.0)
    spool.close()
    return tmp_path


@pytest.mark.parametrize(("start", "end"), [(0, 6), (1, 5), (2, 4), (3, 4), (5, 6)])
def test_a_range_is_read_from_all_segments_that_hold_some_of_it(folder: Path, start: int, end: int) -> None:
    assert positions(folder, start, end) == list(range(start + 1, end + 1))


def test_segments_beside_a_range_are_not_opened(folder: Path) -> None:
    paths = sorted(folder.glob("*.segment"))
    for path in (paths[0], paths[2]):
        path.write_bytes(b"nobody looks here")

    assert positions(folder, 2, 4) == [3, 4]


def test_what_is_missing_is_told(folder: Path) -> None:
    sorted(folder.glob("*.segment"))[1].unlink()

    with pytest.raises(StoreDamaged, match="4 of 6 messages"):
        positions(folder, 0, 6)
    with pytest.raises(StoreDamaged, match="0 of 2 messages from position 7 to 8"):
        positions(folder, 6, 8)
