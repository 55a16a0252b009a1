from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from penstock.errors import ReaderInUse, StoreDamaged, StoreError, StoreFull
from penstock.pipelines.spool import seen, spool
from penstock.pipelines.spool.block import encode
from penstock.pipelines.spool.reading import read
from penstock.pipelines.spool.segment import Segment
from penstock.pipelines.spool.spool import Spool, committed_in
from penstock.wire.arrow import RangeEncoder, Rows, friendly
from tests.pipelines.spool.letters import Letter, letters, lot, lot_of

#: Small enough for every append to begin a segment.
TINY = 1


def opened(folder: Path, segment_size: int = spool.SEGMENT_SIZE) -> Spool:
    made = Spool(folder, segment_size=segment_size)
    made.lock("a test")
    return made


def bodies(folder: Path, start: int, end: int) -> list[bytes]:
    read_back = [friendly(batch, ("body",)) for batch in read(folder, start, end)]
    return [body for batch in read_back for body in batch["body"].to_pylist()]


def test_what_is_appended_is_read_by_position_as_often_as_wanted(tmp_path: Path) -> None:
    ours = opened(tmp_path / "made" / "on the way")

    assert ours.append(lot(1, 3), 0.0) == 3
    assert ours.append(lot(4, 5), 0.0) == 5

    for _ in range(2):
        assert bodies(ours.folder, 1, 4) == [b"letter 2", b"letter 3", b"letter 4"]
    ours.close()


def test_positions_go_on_where_they_were(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.append(lot(1, 3), 0.0)
    first.commit(2)
    first.close()

    second = opened(tmp_path)

    assert (second.committed, second.taken) == (2, 3)
    assert second.append(lot(4, 4), 0.0) == 4
    assert bodies(tmp_path, 2, 4) == [b"letter 3", b"letter 4"]
    second.close()


def test_a_spool_of_an_older_release_is_read_and_goes_on(tmp_path: Path) -> None:
    # Given blocks with property lists and bodies apart, not as frames
    segment = Segment(tmp_path, 1)
    for first, last in ((1, 2), (3, 3)):
        segment.append(encode(older(first, last), segment.size, first, 8, last - first + 1)[1])
    segment.close()

    # When it is opened, and some of them are delivered again
    ours = opened(tmp_path)
    assert ours.append(lot(2, 5), 0.0) == 5

    # Then each is there once, whatever it was written as
    assert ours.repeated == 2
    assert bodies(tmp_path, 0, 5) == [b"letter %d" % number for number in range(1, 6)]
    ours.close()


def older(first: int, last: int) -> list[bytes | memoryview]:
    some = letters(first, last)
    rows = Rows(
        positions=range(first, last + 1),
        exchanges=[each.exchange for each in some],
        routing_keys=[each.routing_key for each in some],
        properties=[each.properties.raw for each in some],
        bodies=[each.body for each in some],
        redelivered=[False] * len(some),
        arrived=[0.0] * len(some),
    )
    encoder = RangeEncoder()
    return [*encoder.begin(), *encoder.add(rows), *encoder.end()]


def test_positions_go_on_even_when_all_was_committed(tmp_path: Path) -> None:
    for number in range(1, 4):
        ours = opened(tmp_path, TINY)
        assert ours.append(lot(number), 0.0) == number
        ours.commit(number)
        ours.close()


def test_a_second_delivery_is_recognised_also_after_a_restart_and_a_commit(tmp_path: Path) -> None:
    ours = opened(tmp_path, TINY)
    ours.append(lot(1, 2), 0.0)
    ours.append(lot(3, 4), 0.0)
    ours.append(lot(5, 5), 0.0)
    ours.commit(5)
    ours.close()

    again = opened(tmp_path, TINY)

    assert again.append(lot(1, 6), 0.0) == 6
    assert again.repeated == 5
    assert bodies(tmp_path, 5, 6) == [b"letter 6"]
    again.close()


def test_a_segment_is_removed_by_what_was_known_of_it_when_it_was_read_back(tmp_path: Path) -> None:
    ours = opened(tmp_path, TINY)
    ours.append(lot(1, 2), 0.0)
    ours.append(lot(3, 3), 0.0)
    ours.close()

    again = opened(tmp_path, TINY)
    again.commit(2)
    again.close()
    third = opened(tmp_path, TINY)

    assert [int(path.stem) for path in sorted(tmp_path.glob("*.segment"))] == [3]
    assert third.append(lot(1, 3), 0.0) == 3
    assert third.repeated == 3
    third.close()


def test_a_commit_does_not_wait_for_an_append(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = opened(tmp_path)
    ours.append(lot(1, 2), 0.0)
    synced, may_end = threading.Event(), threading.Event()
    sync = os.fdatasync

    def slowly(file: int) -> None:
        synced.set()
        assert may_end.wait(30)
        sync(file)

    monkeypatch.setattr(os, "fdatasync", slowly)
    appending = threading.Thread(target=ours.append, args=(lot(3, 4), 0.0))
    appending.start()
    assert synced.wait(30)

    ours.commit(2)

    assert (committed_in(tmp_path), ours.taken) == (2, 2)
    may_end.set()
    appending.join()
    assert ours.taken == 4
    ours.close()


def test_a_message_without_an_id_is_kept_each_time_it_is_delivered(tmp_path: Path) -> None:
    ours = opened(tmp_path)

    assert ours.append(lot_of(Letter(b"x"), Letter(b"x")), 0.0) == 2
    ours.close()


def test_segments_below_what_is_committed_are_removed_and_in_the_end_their_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool, "REMEMBERED", 2)
    ours = opened(tmp_path, TINY)
    for number in range(1, 7):
        ours.append(lot(number), 0.0)

    ours.commit(3)
    assert [int(path.stem) for path in sorted(tmp_path.glob("*.segment"))] == [4, 5, 6]
    ours.commit(6)

    assert [int(path.stem) for path in sorted(tmp_path.glob("*.segment"))] == [6]
    assert [int(path.stem) for path in sorted(tmp_path.glob("*.known"))] == [4, 5]
    assert committed_in(tmp_path) == 6
    ours.close()


def test_going_back_is_no_change(tmp_path: Path) -> None:
    ours = opened(tmp_path)
    ours.append(lot(1, 3), 0.0)
    ours.commit(3)
    ours.commit(1)

    assert committed_in(tmp_path) == ours.committed == 3
    ours.close()


@pytest.mark.parametrize(
    ("after", "rows", "size", "reached"),
    [
        (0, 100, 10_000, 6),
        (0, 2, 10_000, 2),
        (0, 5, 10_000, 5),
        (4, 100, 10_000, 6),
        (6, 100, 10_000, 6),
        (0, 100, 16, 2),  # eight bytes each
        (0, 100, 32, 4),
        (0, 100, 1, 1),  # one in any case
        (3, 1, 1, 4),
    ],
)
def test_a_range_keeps_to_its_limits(tmp_path: Path, after: int, rows: int, size: int, reached: int) -> None:
    ours = opened(tmp_path)
    ours.append(lot(1, 4), 0.0)
    ours.append(lot(5, 6), 0.0)

    assert ours.reach(after, rows, size) == reached
    ours.close()


@pytest.mark.parametrize("lost", [1, 40, 64, 200, 500])
def test_what_was_being_written_is_cut_off(tmp_path: Path, lost: int) -> None:
    ours = opened(tmp_path)
    ours.append(lot(1, 3), 0.0)
    ours.append(lot(4, 6), 0.0)
    ours.close()
    path = next(tmp_path.glob("*.segment"))
    os.truncate(path, path.stat().st_size - lost)

    again = opened(tmp_path)

    assert again.taken == 3
    # The broker was never told that it has them, so it brings them again.
    assert again.append(lot(1, 6), 0.0) == 6
    assert bodies(tmp_path, 0, 6) == [b"letter %d" % number for number in range(1, 7)]
    again.close()


def test_a_segment_that_is_missing_in_the_middle_is_told(tmp_path: Path) -> None:
    ours = opened(tmp_path, TINY)
    for number in range(1, 4):
        ours.append(lot(number), 0.0)
    ours.close()
    sorted(tmp_path.glob("*.segment"))[1].unlink()

    with pytest.raises(StoreDamaged, match="nothing between positions 1 and 3"):
        opened(tmp_path)


def test_a_second_writer_is_refused_by_name(tmp_path: Path) -> None:
    ours = opened(tmp_path)
    ours.lock("a test")  # once more is no harm

    with pytest.raises(ReaderInUse, match="in use by a test") as caught:
        Spool(tmp_path).lock("another")
    assert caught.value.holder == "a test"
    ours.close()
    opened(tmp_path).close()


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match="cannot be used"):
        Spool(tmp_path / "file" / "spool").lock("a test")


@pytest.mark.parametrize(("number", "kind"), [(28, StoreFull), (5, StoreError)])
def test_a_full_disk_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[StoreError]
) -> None:
    ours = opened(tmp_path)
    ours.append(lot(1, 2), 0.0)

    def fail(_: int) -> None:
        raise OSError(number, "the disk says no")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdatasync", fail)
        with pytest.raises(kind, match="the disk says no") as caught:
            ours.append(lot(3, 4), 0.0)
    assert type(caught.value) is kind
    assert ours.append(lot(3, 4), 0.0) == 4
    assert bodies(tmp_path, 0, 4) == [b"letter %d" % number for number in range(1, 5)]
    ours.close()


@pytest.mark.parametrize(("number", "kind"), [(28, StoreFull), (5, StoreError)])
def test_a_commit_on_a_full_disk_is_told_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, kind: type[StoreError]
) -> None:
    ours = opened(tmp_path)
    ours.append(lot(1, 2), 0.0)

    def fail(_: int) -> None:
        raise OSError(number, "the disk says no")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(kind, match="the disk says no") as caught:
            ours.commit(2)
    assert type(caught.value) is kind
    assert ours.committed == committed_in(tmp_path) == 0
    ours.commit(2)
    assert ours.committed == committed_in(tmp_path) == 2
    ours.close()


def test_the_keys_of_the_last_messages_are_kept_in_memory() -> None:
    assert seen.REMEMBERED >= 100_000


#: Appends and commits until it is killed, and says of each what is on disk.
WRITER = """
import sys
import threading
from pathlib import Path
from penstock.pipelines.spool.spool import Spool
from tests.pipelines.spool.letters import lot
spool = Spool(Path(sys.argv[1]), segment_size=4096)
spool.lock("a victim")
number = spool.taken
while True:
    number = spool.append(lot(number + 1, number + 2), 0.0)
    print(number, flush=True)
    if number % 10 == 0:
        spool.commit(number - 6)
"""


def test_kill_9_at_any_moment_loses_nothing_that_was_told(tmp_path: Path) -> None:
    for wanted in (30, 61, 95):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path)],
            stdout=subprocess.PIPE,
            cwd=Path(__file__).parents[3],
            text=True,
        )
        assert child.stdout is not None
        told = 0
        while told < wanted:
            told = int(child.stdout.readline())
        child.send_signal(signal.SIGKILL)
        told = max([told, *map(int, child.stdout.read().split())])
        child.wait()
        child.stdout.close()

        survivor = opened(tmp_path)

        assert survivor.taken >= told
        first, last = survivor.committed, survivor.taken
        assert bodies(tmp_path, first, last) == [
            b"letter %d" % number for number in range(first + 1, last + 1)
        ]
        survivor.close()
