from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from penstock.durable import replacing, sync


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """What was synced, by its name at that moment."""
    found: list[Path] = []

    def note(number: int, fsync: object = os.fsync) -> None:
        found.append(Path(f"/proc/self/fd/{number}").readlink())
        assert callable(fsync)
        fsync(number)

    monkeypatch.setattr(os, "fsync", note)
    return found


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "progress.json"
    for text in (b"old", b"new"):
        with replacing(file) as opened:
            opened.write(text)
            assert not file.exists() or file.read_bytes() == b"old"
        assert file.read_bytes() == text
    assert list(tmp_path.iterdir()) == [file]


def test_its_contents_are_on_disk_before_it_has_its_name_and_its_name_afterwards(
    tmp_path: Path, synced: list[Path]
) -> None:
    with replacing(tmp_path / "mark") as opened:
        opened.write(b"1")
        assert not synced
    assert synced == [tmp_path / "mark.new", tmp_path]


def test_a_write_that_fails_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "mark"
    file.write_bytes(b"old")

    def fail() -> None:
        with replacing(file) as opened:
            opened.write(b"half of")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"mark": b"old"}


def test_what_a_dead_writer_left_is_in_nobodys_way(tmp_path: Path) -> None:
    (tmp_path / "mark.new").write_bytes(b"much longer than what comes")
    with replacing(tmp_path / "mark") as opened:
        opened.write(b"1")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"mark": b"1"}


def test_a_secret_is_its_owners_alone(tmp_path: Path) -> None:
    with replacing(tmp_path / "secret", mode=0o600) as opened:
        assert stat.S_IMODE(os.fstat(opened.fileno()).st_mode) == 0o600


def test_where_nothing_can_be_written_it_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "nowhere" / "mark"):
        raise AssertionError("it was begun")


def test_a_folder_and_a_file_are_synced(tmp_path: Path, synced: list[Path]) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"1")
    for path in (file, tmp_path):
        sync(path)
    assert synced == [file, tmp_path]
