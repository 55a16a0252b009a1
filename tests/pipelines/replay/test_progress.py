"""How far a replay has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import PipelineError
from penstock.pipelines.replay.progress import Mark, Progress, ProgressFile
from penstock.pipelines.replay.selection import Selection

if TYPE_CHECKING:
    from pathlib import Path

A, B = Mark(1, "a", 7), Mark(2, "", 8)


def test_what_is_done_is_counted_twins_included() -> None:
    begun = Progress(replay="r")
    assert begun.after([]) == begun
    done = begun.after([A, B, B])
    assert (done.published, done.last, done.twins) == (3, B, 2)
    done = done.after([B], skipped=1)
    assert (done.published, done.skipped, done.done, done.last, done.twins) == (3, 1, 4, B, 3)
    done = done.after([A, B])
    assert (done.published, done.twins) == (5, 1), "other twins than before"


def test_progress_is_kept(tmp_path: Path) -> None:
    file = ProgressFile(tmp_path / "replays", Selection(types=("a",)))
    assert file.read() == Progress(replay="types ('a',)")
    done = file.read().after([A])
    file.write(done)
    assert ProgressFile(tmp_path / "replays", Selection(types=("a",))).read() == done
    assert ProgressFile(tmp_path / "replays", Selection(types=("b",))).read().last is None
    file.forget()
    assert file.read().last is None


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    file = ProgressFile(tmp_path, Selection())
    file.write(Progress(replay="r"))
    (path,) = tmp_path.glob("*.json")
    assert str(file) == str(path)
    path.write_text("{")
    with pytest.raises(PipelineError, match=r"cannot be read from .*; remove it to begin anew"):
        file.read()
