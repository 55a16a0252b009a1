from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import pytest

from penstock.errors import PipelineRunning
from penstock.pipelines.declared import place as places
from penstock.pipelines.declared.place import Place

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path / "data", "threads")


def write(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(name)


def test_a_pipeline_is_run_by_one_process_at_a_time(place: Place) -> None:
    assert not place.is_held
    with place.held():
        assert place.is_held
        assert repr(place).endswith("threads held>")
        with pytest.raises(PipelineRunning, match="pipeline threads is run by another process"), place.held():
            pass
    assert not place.is_held
    with place.held():
        pass


def test_who_looks_stands_in_nobodys_way(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with place.held():
        pass
    # Given somebody who looks whether it runs, in the moment in which it starts
    looking = os.open(place.lock, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH | fcntl.LOCK_NB)
    assert not place.is_held
    attempts = []

    def got(lock: int, kind: int, wait: float = 0.0) -> bool:
        attempts.append(wait)
        if len(attempts) == 3:
            os.close(looking)
        return take(lock, kind)

    take = places._got
    monkeypatch.setattr(places, "_got", got)
    # Then it starts all the same
    with place.held():
        assert attempts == list(places.AGAIN_IN[:3])


@pytest.mark.parametrize(
    ("begun", "done", "pending"),
    [
        ((), (), None),
        (("0",), (), 0),
        (("0", "1", ".1.crc"), ("0", ".0.crc"), 1),
        (("9", "10"), ("9",), 10),
        (("0", "1"), ("0", "1"), None),
    ],
)
def test_the_pending_batch_has_begun_and_is_not_done(
    place: Place, begun: tuple[str, ...], done: tuple[str, ...], pending: int | None
) -> None:
    write(place.checkpoint / "offsets", *begun)
    write(place.checkpoint / "commits", *done)
    assert place.pending_batch() == pending


def test_positions_are_copied_without_the_state(place: Place, tmp_path: Path) -> None:
    write(place.checkpoint / "offsets", "0", "1")
    write(place.checkpoint / "sources" / "0", "0")
    write(place.checkpoint / "state" / "0", "1.delta")
    write(place.checkpoint, "metadata")
    write(tmp_path / "copy", "from before")
    place.copy_positions(tmp_path / "copy")
    files = {
        str(file.relative_to(tmp_path / "copy")) for file in (tmp_path / "copy").rglob("*") if file.is_file()
    }
    assert files == {"metadata", "offsets/0", "offsets/1", "sources/0/0"}


def test_it_forgets_its_progress_and_not_what_was_set_aside(place: Place) -> None:
    write(place.checkpoint / "offsets", "0")
    write(place.set_aside, "batch")
    place.write(place.status, {"state": "running"})
    place.write(place.columns, {})
    place.forget()
    assert sorted(file.name for file in place.folder.iterdir()) == ["set-aside"]
    place.forget()


def test_files_are_written_whole_and_read_back(place: Place) -> None:
    assert place.read(place.status) is None
    place.write(place.status, {"batch": 1})
    place.write(place.status, {"batch": 2})
    assert place.read(place.status) == {"batch": 2}
    assert [file.name for file in place.folder.iterdir()] == ["status.json"]


def test_they_are_on_disk_before_they_take_the_others_place(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Or a power cut could leave an empty file, and no pipeline that can begin.
    def fail(_: int) -> None:
        raise OSError("the disk")

    place.write(place.columns, {"a": 1})
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk"):
        place.write(place.columns, {"a": 2})
    assert place.read(place.columns) == {"a": 1}
