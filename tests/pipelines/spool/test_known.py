from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreDamaged
from penstock.pipelines.spool import known

if TYPE_CHECKING:
    from pathlib import Path


def retired(folder: Path, first: int, *keys: bytes) -> Path:
    path = folder / f"{first:020d}.segment"
    path.write_bytes(b"blocks")
    known.retire(path, keys)
    return path


def test_a_retired_segment_leaves_its_keys(tmp_path: Path) -> None:
    path = retired(tmp_path, 1, b"one", b"", b"two")

    assert not path.exists()
    assert list(known.keys(tmp_path)) == [[b"one", b"two"]]


def test_keys_may_be_any_bytes(tmp_path: Path) -> None:
    retired(tmp_path, 1, b"\xff\n\0", b"\0")

    assert list(known.keys(tmp_path)) == [[b"\xff\n\0", b"\0"]]


def test_a_segment_without_ids_leaves_nothing_to_know(tmp_path: Path) -> None:
    retired(tmp_path, 1, b"")

    assert list(known.keys(tmp_path)) == [[]]


def test_the_oldest_are_forgotten_when_the_rest_is_enough(tmp_path: Path) -> None:
    for first in (1, 3, 5):
        retired(tmp_path, first, b"%d" % first, b"%d" % (first + 1))

    known.forget(tmp_path, 4)
    assert [len(keys) for keys in known.keys(tmp_path)] == [2, 2]
    known.forget(tmp_path, 3)
    assert list(known.keys(tmp_path)) == [[b"3", b"4"], [b"5", b"6"]]
    known.forget(tmp_path, 2)
    assert list(known.keys(tmp_path)) == [[b"5", b"6"]]


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "00000000000000000001.known").write_bytes(b"what?")

    with pytest.raises(StoreDamaged, match=r"0001\.known cannot be read"):
        list(known.keys(tmp_path))


def test_the_keys_are_on_disk_before_the_segment_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError("the disk")

    path = tmp_path / f"{1:020d}.segment"
    path.write_bytes(b"blocks")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk"):
        known.retire(path, [b"one"])
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
