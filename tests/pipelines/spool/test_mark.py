from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.spool.mark import committed_in, write_mark

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_without_a_mark_is_at_the_beginning(tmp_path: Path) -> None:
    assert committed_in(tmp_path) == 0
    assert committed_in(tmp_path / "not there") == 0


def test_a_mark_is_read_as_it_was_last_written(tmp_path: Path) -> None:
    write_mark(tmp_path, 100)
    write_mark(tmp_path, 7)

    assert committed_in(tmp_path) == 7
    assert [path.name for path in tmp_path.iterdir()] == ["committed"]


def test_a_mark_that_was_being_written_does_not_count(tmp_path: Path) -> None:
    write_mark(tmp_path, 7)
    (tmp_path / "committed.new").write_text("1")

    assert committed_in(tmp_path) == 7
