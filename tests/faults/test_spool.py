"""A spool on a disk that is really full."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreFull
from penstock.pipelines.source.spool_taking import SpoolTaking
from penstock.pipelines.spool import filling
from tests.faults.disks import fill, small_disk
from tests.pipelines.queues import until
from tests.pipelines.spool.letters import LetterBox, letter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COUNT = 1000
IN_A_LOT = 50


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "4m"):
        yield tmp_path / "disk"


@pytest.fixture
def box() -> LetterBox:
    """As many letters of 1 KB as the disk holds with room to spare."""
    numbers = range(1, COUNT + 1)
    lots = [numbers[at : at + IN_A_LOT] for at in range(0, COUNT, IN_A_LOT)]
    return LetterBox(*[[letter(number, b"%d " % number + bytes(1000)) for number in lot] for lot in lots])


@pytest.fixture
def taking(disk: Path, box: LetterBox, monkeypatch: pytest.MonkeyPatch) -> Iterator[SpoolTaking]:
    monkeypatch.setattr(filling, "FULL_IN", 0.02)
    made = SpoolTaking(disk / "spool", lambda: box)
    yield made
    made.close()


def ids(taking: SpoolTaking, end: int) -> list[str]:
    return [
        name for batch in taking.read(0, end, ("message_id",)) for name in batch["message_id"].to_pylist()
    ]


def test_what_does_not_fit_stays_with_the_broker_until_there_is_room(
    disk: Path, box: LetterBox, taking: SpoolTaking, caplog: pytest.LogCaptureFixture
) -> None:
    ballast = fill(disk, 500_000)
    taking.lease("a test", 10)
    taking._filling.fill()
    until(lambda: "is tried again" in caplog.text)
    taken = taking.open().taken
    assert 0 < taken < COUNT
    assert len(box.acked) == taken
    assert ids(taking, taken) == [f"l{number}" for number in range(1, taken + 1)]

    ballast.unlink()
    until(lambda: len(box.acked) == COUNT)

    assert ids(taking, COUNT) == [f"l{number}" for number in range(1, COUNT + 1)]


def test_what_is_there_is_given_and_committed_when_there_is_room(
    disk: Path, box: LetterBox, taking: SpoolTaking
) -> None:
    taking.lease("a test", 10)
    taking._filling.fill()
    until(lambda: len(box.acked) == COUNT)
    ballast = fill(disk, 0)

    assert taking.take(0, COUNT, 10_000_000) == COUNT
    assert len(ids(taking, COUNT)) == COUNT
    with pytest.raises(StoreFull, match="No space left"):
        taking.commit(COUNT)
    assert taking.open().committed == 0
    ballast.unlink()
    taking.commit(COUNT)
    assert taking.open().committed == COUNT
