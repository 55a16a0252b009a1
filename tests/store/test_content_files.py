"""What all contents have in common is in tests/contracts/test_store.py."""

from __future__ import annotations

import errno
import os
import tracemalloc
from pathlib import Path

import pytest

from penstock.errors import StoreDamaged, StoreFull
from penstock.store import content_files
from penstock.store.content_files import ContentFiles

PIECE = bytes(2**16)


@pytest.fixture
def contents(tmp_path: Path) -> ContentFiles:
    return ContentFiles(tmp_path / "contents")


def kept(contents: ContentFiles, *pieces: bytes) -> str:
    growing = contents.create()
    for piece in pieces:
        growing.append(piece)
    return growing.finish()


def test_only_the_broker_may_look(contents: ContentFiles) -> None:
    name = kept(contents, b"secret")
    assert repr(contents) == f"<ContentFiles {contents.folder}>"
    modes = [path.stat().st_mode & 0o777 for path in (contents.folder, contents.folder / name)]
    assert modes == [0o700, 0o600]


def test_sizes_are_told_by_name(contents: ContentFiles) -> None:
    one, other = kept(contents, b"12", b"345"), kept(contents)
    assert contents.sizes() == {one: 5, other: 0}
    contents.delete([one, "not there"])
    assert contents.sizes() == {other: 0}


def test_one_that_is_not_there_is_damage(contents: ContentFiles) -> None:
    for use in (contents.open, contents.link):
        with pytest.raises(StoreDamaged, match="nothing is not there"):
            use("nothing")


def test_a_link_needs_no_room(contents: ContentFiles) -> None:
    name = kept(contents, PIECE)
    other = contents.link(name)
    assert (contents.folder / name).samefile(contents.folder / other)


def test_names_and_bytes_are_synced(contents: ContentFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(content_files, "sync", lambda path: synced.append(path.name))
    contents.sync([])
    assert synced == []
    contents.sync(["a", "b"])
    assert synced == ["a", "b", "contents"]


def test_a_lost_one_does_not_keep_others_from_being_synced(contents: ContentFiles) -> None:
    contents.sync(["lost", kept(contents, b"there")])


def test_those_that_grow_are_not_kept_open(contents: ContentFiles) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    growing = [contents.create() for _ in range(20)]
    for each in growing:
        each.append(b"one")
        each.append(b"two")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert {(contents.folder / each.finish()).read_bytes() for each in growing} == {b"onetwo"}


def test_short_writes_are_continued(contents: ContentFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, piece: write(file, piece[:3]))
    name = kept(contents, b"0123456789")
    assert (contents.folder / name).read_bytes() == b"0123456789"


def test_a_full_disk_is_told_and_the_piece_abandoned(
    contents: ContentFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    growing = contents.create()

    def fail(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    with pytest.raises(StoreFull, match="no room is left"):
        growing.append(b"too much")
    growing.abandon()
    assert contents.sizes() == {}


def pass_through(contents: ContentFiles, pieces: int) -> int:
    """Write and read a body of so many pieces; the bytes that passed."""
    name = kept(contents, *(PIECE for _ in range(pieces)))
    reading, passed = contents.open(name), 0
    while piece := reading.read(passed, len(PIECE)):
        passed += len(piece)
    reading.close()
    contents.delete([name])
    return passed


def test_a_large_body_passes_in_bounded_memory(contents: ContentFiles) -> None:
    tracemalloc.start()
    try:
        assert pass_through(contents, 1024) == 2**26
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.soak
def test_a_body_of_2_gib_passes_in_bounded_memory(contents: ContentFiles) -> None:
    tracemalloc.start()
    try:
        assert pass_through(contents, 2**15) == 2**31
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
