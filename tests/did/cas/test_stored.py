from __future__ import annotations

import os
import pickle
import signal
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import count, islice
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.stored import StoredContents
from penstock.errors import BadHashLink, ContentTooLarge, Unavailable
from tests.did.cas.writer import write_forever
from tests.servers import s3

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATA = b"a batch file"
NAME = resource_hash(DATA)


class Bucket(MemoryFileSystem):  # type: ignore[misc]
    """Like an object store; it remembers what it was asked for."""

    protocol = "oss"
    store: dict[str, Any] = {}  # noqa: RUF012  fsspec has it so, and another than MemoryFileSystem's is wanted
    asked: list[tuple[str, ...]] = []  # noqa: RUF012

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        self.asked.append(("put", path))
        super().pipe_file(path, value, mode, **kwargs)

    def mv(self, path1: str, path2: str, **kwargs: Any) -> None:
        self.asked.append(("move", path1, path2))
        super().mv(path1, path2, **kwargs)


class Share(Bucket):
    """A file system of which nothing is known."""

    protocol = "share"


@pytest.fixture(autouse=True)
def file_systems() -> Iterator[None]:
    for each in (Bucket, Share):
        fsspec.register_implementation(each.protocol, each, clobber=True)
    Bucket.asked.clear()
    yield
    Bucket.store.clear()
    MemoryFileSystem.store.clear()


@pytest.fixture(params=["folder", "memory://cas", "s3", "share://host/cas"])
def contents(request: pytest.FixtureRequest, tmp_path: Path, name: str) -> StoredContents:
    if request.param != "s3":
        return StoredContents(str(tmp_path / "cas") if request.param == "folder" else request.param)
    store = request.getfixturevalue("s3_server")
    return StoredContents(f"s3://{s3.BUCKET}/{name}", s3.options(store))


def test_what_is_put_is_got(contents: StoredContents) -> None:
    assert not contents.has(NAME)
    assert contents.get(NAME, 100) is None
    contents.put(NAME, DATA)
    contents.put(NAME, DATA)
    assert contents.has(NAME)
    assert contents.get(NAME, 100) == DATA


def test_no_more_than_the_limit_is_read(contents: StoredContents) -> None:
    contents.put(NAME, DATA)
    assert contents.get(NAME, len(DATA)) == DATA
    with pytest.raises(ContentTooLarge, match="more than 11 bytes"):
        contents.get(NAME, len(DATA) - 1)


def test_all_that_is_stored_is_listed_and_looked_into(contents: StoredContents) -> None:
    assert list(contents.names()) == []
    assert contents.head(NAME, 4) == b""
    other = resource_hash(b"other")
    contents.put(NAME, DATA)
    contents.put(other, b"other")
    assert sorted(contents.names()) == sorted([NAME, other])
    assert contents.head(NAME, 4) == DATA[:4]


@pytest.mark.parametrize("contents", ["folder", "s3"], indirect=True)
def test_what_another_process_has_put_since_is_seen(contents: StoredContents) -> None:
    contents.put(NAME, DATA)
    assert list(contents.names()) == [NAME]
    found = (each for each in map(str.encode, map(str, count())) if _beside(resource_hash(each)))
    (one, other) = ((resource_hash(each), each) for each in islice(found, 2))
    assert not contents.has(one[0])

    with ProcessPoolExecutor(1, get_context("spawn")) as elsewhere:
        elsewhere.submit(contents.put, *one).result()
        assert contents.has(one[0])
        assert sorted(contents.names()) == sorted([NAME, one[0]])
        # Whoever asks whether one is there looks anew, too; so it is not asked for this one.
        elsewhere.submit(contents.put, *other).result()
        assert sorted(contents.names()) == sorted([NAME, one[0], other[0]])


def _beside(name: str) -> bool:
    """Whether a content is kept in the same folder."""
    return name[4:6] == NAME[4:6]


def test_only_a_hash_becomes_part_of_a_path(contents: StoredContents) -> None:
    for name in ("", "../x", "u/../../x", NAME + "/.."):
        with pytest.raises(BadHashLink):
            contents.put(name, DATA)
        with pytest.raises(BadHashLink):
            contents.get(name, 100)


def test_it_can_be_sent_to_another_process(contents: StoredContents) -> None:
    contents.put(NAME, DATA)
    sent = pickle.loads(pickle.dumps(contents))  # noqa: S301  made a line ago
    assert sent.get(NAME, 100) == DATA
    assert repr(sent) == repr(contents) == f"<StoredContents {contents.url}>"


def test_threads_may_put_the_same_content_at_once(contents: StoredContents) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: contents.put(NAME, DATA, anew=True), range(40)))
    assert contents.get(NAME, 100) == DATA


def test_a_content_that_is_there_is_not_written_again_unless_it_is_damaged() -> None:
    contents = StoredContents("oss://bucket/cas")
    path = f"oss://bucket/cas/{NAME[4:6]}/{NAME}"
    contents.put(NAME, DATA)
    contents.put(NAME, DATA)
    assert Bucket.asked == [("put", path)]
    contents.put(NAME, DATA, anew=True)
    assert Bucket.asked == [("put", path)] * 2


def test_where_a_write_may_be_seen_half_done_it_is_done_beside_and_moved() -> None:
    StoredContents("share://host/cas").put(NAME, DATA)
    (_, beside), (_, moved, path) = Bucket.asked
    assert beside == moved != path
    assert path.endswith(f"/{NAME}")


def test_a_file_system_that_does_not_work_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "cas").write_text("a file where a folder should be")
    contents = StoredContents(str(tmp_path / "cas"))
    with pytest.raises(Unavailable, match=f"{NAME} could not be stored at .*cas: "):
        contents.put(NAME, DATA)
    with pytest.raises(Unavailable, match="no-such-protocol"):
        StoredContents("no-such-protocol://x").has(NAME)


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", no_room)
    with pytest.raises(Unavailable, match="No space left"):
        StoredContents(str(tmp_path)).put(NAME, DATA)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_what_a_dead_writer_left_is_swept_away_once_it_is_old(tmp_path: Path) -> None:
    contents = StoredContents(str(tmp_path))
    assert contents.sweep(before=0.0) == 0
    contents.put(NAME, DATA)
    left = next(tmp_path.rglob("uEi*")).with_name(".left")
    left.write_bytes(b"half of")
    os.utime(left, (100, 100))
    assert contents.sweep(before=100.0) == 0
    assert contents.sweep(before=101.0) == 1
    assert not left.exists()
    assert contents.get(NAME, 100) == DATA
    assert StoredContents("memory://cas").sweep(before=101.0) == 0


def test_a_reader_never_sees_half_of_a_content(tmp_path: Path) -> None:
    contents = StoredContents(str(tmp_path))
    data = os.urandom(4_000_000)
    name = resource_hash(data)
    contents.put(name, data)

    def write() -> None:
        for _ in range(15):
            contents.put(name, data, anew=True)

    with ThreadPoolExecutor(1) as threads:
        written = threads.submit(write)
        while not written.done():
            assert contents.get(name, len(data)) == data
        written.result()


def test_kill_9_leaves_whole_contents_only(tmp_path: Path) -> None:
    def stored() -> list[Path]:
        return list(tmp_path.rglob("uEi*"))

    for least in (5, 12):
        writer = get_context("spawn").Process(target=write_forever, args=(str(tmp_path),))
        writer.start()
        until = time.monotonic() + 60
        while len(stored()) < least and time.monotonic() < until:
            time.sleep(0.001)
        writer.kill()
        writer.join()
        assert writer.exitcode == -signal.SIGKILL

    assert len(stored()) >= 12
    assert [path.name for path in stored() if resource_hash(path.read_bytes()) != path.name] == []
