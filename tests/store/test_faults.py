"""What a store survives: kill -9, a full disk, a disk that cannot be written, a torn content file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreFull, StoreReadOnly
from penstock.store import END, Batch, SqliteStore
from tests.store.support import fetched, message, plain, reference, removal

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = Path(__file__).parent.parent.parent


# kill -9

#: Writes batches for ever, removes every other message of the batch before, and says what is done.
WRITER = """
import sys
from itertools import count
from pathlib import Path
from penstock.store import SqliteStore
from tests.store.support import plain

store = SqliteStore(Path(sys.argv[1]))
last = store.last_message()
for number in count(1):
    first = last + 1 + 10 * (number - 1)
    batch = plain(range(first, first + 10), batch=number)
    if number > 1:
        batch.removals = [(1, 0, gone, gone) for gone in range(first - 10, first, 2)]
    store.write(batch)
    print(first, flush=True)
    store.tidy()
"""


def run_and_kill(folder: Path, batches: int) -> list[int]:
    """Let a process write at least so many batches and kill it; the batches whose `write` returned."""
    environment = {**os.environ, "PYTHONPATH": f"{SOURCES / 'src'}{os.pathsep}{SOURCES}"}
    command = [sys.executable, "-c", WRITER, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:  # noqa: S603  ours
        assert child.stdout is not None
        done = [int(line) for _, line in zip(range(batches), child.stdout, strict=False)]
        child.send_signal(signal.SIGKILL)
        done += [int(line) for line in child.stdout if line.endswith("\n")]
    assert child.returncode == -signal.SIGKILL
    return done


def check_survivors(folder: Path, done: list[int]) -> None:
    with closing(SqliteStore(folder)) as store:
        found = fetched(store)
        assert found == sorted(set(found))
        # The writes follow each other: at most one more was done than it could tell of.
        last = store.last_message() - 9
        assert last in (done[-1], done[-1] + 10)
        for first in range(done[0], last, 10):
            assert [number for number in found if first <= number < first + 10] == list(
                range(first + 1, first + 10, 2)
            )
        assert found[-10:] == list(range(last, last + 10))
        store.write(Batch(1, cleared=[(1, 0, -END, last)]))


@pytest.mark.parametrize("batches", [1, 7, 50, 200])
def test_all_that_was_written_is_there_after_kill_9(tmp_path: Path, batches: int) -> None:
    # Twice in the same folder: a store that was killed once goes on.
    for _ in range(2):
        check_survivors(tmp_path, run_and_kill(tmp_path, batches))


# Full and read-only


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A disk of its own, which only root can make."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True, check=False)  # noqa: S603  ours
    except FileNotFoundError:
        pytest.skip("there is no mount: the full disk is not tested")
    if made.returncode:
        pytest.skip(f"the full disk is not tested: {made.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)  # noqa: S603, S607  ours


def fill(disk: Path, left: int) -> Path:
    """Take all room but so many bytes; the file that takes it."""
    ballast, status = disk / "ballast", os.statvfs(disk)
    ballast.write_bytes(bytes(status.f_bavail * status.f_frsize - left))
    return ballast


def test_a_full_disk_writes_nothing_and_then_the_same_batch(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "8m"), closing(SqliteStore(disk / "store")) as store:
        store.write(plain([1]))
        batch = Batch(2)
        batch.plain_messages = [(number, 1, bytes(1000), "", "", 1000) for number in range(2, 1002)]
        batch.plain_references = [(1, 0, number, number) for number in range(2, 1002)]
        # Given a disk with too little room, however often it is tried.
        ballast = fill(disk, 2**18)
        for _ in range(3):
            with pytest.raises(StoreFull, match="make some"):
                store.write(batch)
            assert fetched(store) == [1]
        # Then something smaller can still be written, and it is durable.
        store.write(plain([5000], batch=3))
        store.write(removal([5000], batch=4))
        # And when there is room again, the same batch is.
        ballast.unlink()
        store.write(batch)
        assert fetched(store) == list(range(1, 1002))


def test_a_content_on_a_full_disk_is_refused(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "8m"), closing(SqliteStore(disk / "store")) as store:
        fill(disk, 2**16)
        growing = store.contents.create()
        with pytest.raises(StoreFull):
            growing.append(bytes(2**20))
        growing.abandon()
        store.write(plain([1]))
        assert (fetched(store), store.contents.sizes()) == ([1], {})


def write_until_full(store: SqliteStore) -> int:
    """How many batches of 100 could be written."""
    for number in count(1):
        try:
            store.write(plain(range(100 * number, 100 * number + 100), batch=number))
        except StoreFull:
            return number - 1
    raise AssertionError


def test_a_disk_fills_slowly_and_nothing_written_is_lost(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    with small_disk(disk, "6m"):
        with closing(SqliteStore(disk / "store")) as store:
            ballast = fill(disk, 2**20)
            written = write_until_full(store)
            assert store.lines()[0].ready == 100 * written
            ballast.unlink()
            store.write(plain(range(100 * written + 100, 100 * written + 200)))
        with closing(SqliteStore(disk / "store")) as store:
            assert store.lines()[0].ready == 100 * written + 100


def test_on_a_full_disk_consumers_make_room(tmp_path: Path) -> None:
    disk, refused = tmp_path / "disk", 0
    with small_disk(disk, "16m"), closing(SqliteStore(disk / "store")) as store:
        # Given a long queue, a log that has been copied once, and a disk without room.
        for number in range(20):
            store.write(plain(range(1000 * number, 1000 * number + 1000), batch=number))
        store._tidying.checkpoint(at_once=True)
        fill(disk, 0)
        # Then all can be acknowledged. When the log reaches its end it is refused once, and begins anew.
        batches = [removal(range(start, start + 20)) for start in range(0, 20_000, 20)]
        for batch in (*batches, plain(range(100_000, 110_000))):
            try:
                store.write(batch)
            except StoreFull:
                refused += 1
                store.write(batch)
        assert (store.lines()[0].ready, refused > 0) == (10_000, True)


def test_a_disk_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m"):
        SqliteStore(tmp_path / "disk" / "store").close()
        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path / "disk")], check=True)  # noqa: S603, S607  ours
        with pytest.raises(StoreReadOnly, match="let this user write there"):
            SqliteStore(tmp_path / "disk" / "store")
        with pytest.raises(StoreReadOnly):
            SqliteStore(tmp_path / "disk" / "other")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_of_somebody_else_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreReadOnly):
        SqliteStore(tmp_path / "store")


# Torn


def test_a_torn_content_file_costs_its_message_only(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path)) as store:
        names = []
        for number in (1, 2):
            growing = store.contents.create()
            growing.append(b"x" * 100_000)
            names.append(growing.finish())
            batch = Batch(number, messages=[message(number, file=names[-1], length=100_000)])
            batch.references.append(reference((1, 0, number), number))
            store.write(batch)
        store.write(plain([3], batch=3))
    os.truncate(tmp_path / "contents" / names[0], 99_999)
    with closing(SqliteStore(tmp_path)) as store:
        (damage,) = store.damaged
        assert "message 1 to 'work' in queues [1] is lost" in str(damage)
        assert (fetched(store), list(store.contents.sizes())) == ([2, 3], [names[1]])
        assert sorted(path.name for path in (tmp_path / "quarantine").iterdir()) == sorted(
            ["1.json", names[0]]
        )
