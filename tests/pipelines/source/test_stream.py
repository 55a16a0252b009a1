from __future__ import annotations

import pickle
from typing import Any

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxBytes, ReadMaxRows

from penstock.errors import CheckpointMismatch, NotConnected, StoreFull
from penstock.pipelines.options import SourceOptions
from penstock.pipelines.source import patience
from penstock.pipelines.source import stream as streams
from penstock.pipelines.source.ahead import Ahead
from penstock.pipelines.source.door import tell
from penstock.pipelines.source.partition import Range
from penstock.pipelines.source.patience import Patience
from penstock.pipelines.source.stream import QueueStream
from tests.pipelines.source.takings import MemoryTaking

OPTIONS = {"url": "amqp://host", "queue": "q", "reader": "r"}


def at(position: int) -> dict[str, Any]:
    return {"queue": "q", "reader": "r", "position": position}


@pytest.fixture
def taking(monkeypatch: pytest.MonkeyPatch) -> MemoryTaking:
    """A queue of 250 messages, which streams will find instead of a broker's."""
    made = MemoryTaking(250)
    monkeypatch.setattr(streams, "open_origin", lambda _: made)
    # An error that passes would be seen in the environment of all tests that follow.
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "")
    return made


def stream(**options: str) -> QueueStream:
    return QueueStream(SourceOptions.read({**OPTIONS, **options}))


def test_batches_keep_to_the_limit_and_end_where_nothing_waits(taking: MemoryTaking) -> None:
    ours = stream(max_rows="100")
    limit = ours.getDefaultReadLimit()
    assert limit == ReadMaxRows(100)
    ends = [ours.initialOffset()]
    for _ in range(4):
        ends.append(ours.latestOffset(ends[-1], limit))
    ours.stop()

    assert ends == [at(0), at(100), at(200), at(250), at(250)]


def test_the_batch_before_is_committed_when_the_next_is_asked_for(taking: MemoryTaking) -> None:
    ours = stream()
    ours.latestOffset(at(0), ReadMaxRows(100))
    assert taking.commits == []
    ours.latestOffset(at(100), ReadMaxRows(100))
    ours.latestOffset(at(200), ReadMaxRows(100))
    ours.latestOffset(at(250), ReadMaxRows(100))
    ours.stop()

    assert taking.commits == [100, 200, 250]


def test_the_last_batch_is_committed_before_a_query_hears_that_there_is_nothing_more(
    taking: MemoryTaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ahead, "commit", lambda *_: None)  # a planner that is killed gets no further
    ours = stream()
    ours.latestOffset(at(0), ReadMaxRows(300))
    assert taking.commits == []
    ours.latestOffset(at(250), ReadMaxRows(300))

    assert taking.commits == [250]
    ours.stop()


def test_commit_is_the_backup(taking: MemoryTaking) -> None:
    ours = stream()
    ours.latestOffset(at(0), ReadMaxRows(100))
    ours.commit(at(100))
    ours.stop()

    assert taking.commits == [100]


@pytest.mark.parametrize("error", [NotConnected("not now"), StoreFull("not now")])
def test_a_broker_that_is_away_or_a_full_disk_does_not_fail_the_backup(
    taking: MemoryTaking, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    ours = stream()
    ours.latestOffset(at(0), ReadMaxRows(100))

    def fail(_: int) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(taking, "commit", fail)
        ours.commit(at(100))
    ours.latestOffset(at(100), ReadMaxRows(100))
    ours.stop()

    assert taking.commits == [100]


def test_an_idle_query_outlives_a_full_disk(taking: MemoryTaking, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = stream()
    ours.latestOffset(at(0), ReadMaxRows(300))

    def fail(_: int) -> None:
        raise StoreFull("no room is left")

    with monkeypatch.context() as patch:
        patch.setattr(taking, "commit", fail)
        assert ours.latestOffset(at(250), ReadMaxRows(300)) == at(250)
        ours._ahead.close()  # type: ignore[union-attr]
    ours._ahead = Ahead(taking)
    assert ours.latestOffset(at(250), ReadMaxRows(300)) == at(250)
    assert taking.commits == [250]
    ours.stop()


def test_the_door_commits_as_well(taking: MemoryTaking) -> None:
    ours = stream()
    ours.latestOffset(at(0), ReadMaxRows(100))
    reported = ours.reportLatestOffset()
    assert reported is not None
    assert reported["position"] == 250
    tell(reported["door"], 100)
    ours.stop()

    assert taking.commits == [100]


def test_what_was_taken_before_a_crash_comes_first(taking: MemoryTaking) -> None:
    taking.taken, taking.committed, taking.waiting = 30, 10, 5
    ours = stream()

    assert ours.initialOffset() == at(10)
    assert ours.latestOffset(at(10), ReadMaxRows(100)) == at(30)
    assert ours.latestOffset(at(30), ReadMaxRows(100)) == at(35)
    ours.stop()


def test_bytes_limit_a_batch_too(taking: MemoryTaking) -> None:
    ours = stream(max_bytes="70")
    limit = ours.getDefaultReadLimit()

    assert limit == ReadMaxBytes(70)
    assert ours.latestOffset(at(0), limit) == at(7)
    assert ours.latestOffset(at(7), ReadMaxRows(100)) == at(14)
    assert ours.latestOffset(at(14), ReadAllAvailable()) == at(250)
    ours.stop()


def test_available_now_ends_with_what_waited_at_the_beginning(taking: MemoryTaking) -> None:
    ours = stream()
    ours.prepareForTriggerAvailableNow()
    taking.waiting += 50

    assert ours.latestOffset(at(0), ReadMaxRows(200)) == at(200)
    assert ours.latestOffset(at(200), ReadMaxRows(200)) == at(250)
    assert ours.latestOffset(at(250), ReadMaxRows(200)) == at(250)
    ours.stop()


def test_a_range_is_planned_in_pieces(taking: MemoryTaking) -> None:
    taking.taken = 9000
    ours = stream(partitions="3")

    assert ours.partitions(at(0), at(9000)) == [Range(0, 3000), Range(3000, 6000), Range(6000, 9000)]
    assert ours.partitions(at(5), at(5)) == []
    ours.stop()


def test_a_checkpoint_that_is_older_than_the_reader_is_told(taking: MemoryTaking) -> None:
    taking.taken, taking.committed = 100, 50
    ours = stream()

    with pytest.raises(CheckpointMismatch, match=r"done with everything up to position 50.*behind 20"):
        ours.partitions(at(20), at(60))
    assert ours.partitions(at(50), at(60)) == [Range(50, 60)]
    ours.stop()


def test_a_checkpoint_that_is_ahead_of_the_reader_is_told(taking: MemoryTaking) -> None:
    ours = stream()

    with pytest.raises(CheckpointMismatch, match="at position 500, and reader 'r' of queue 'q' has given"):
        ours.latestOffset(at(500), ReadMaxRows(1))
    ours.stop()


def test_a_stream_travels_before_it_is_used_and_has_nothing_open(taking: MemoryTaking) -> None:
    pickle.loads(pickle.dumps(stream())).stop()  # noqa: S301 (as Spark does)

    assert taking.leases == []


def test_a_broker_that_is_away_for_a_while_fails_no_query(
    taking: MemoryTaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = stream()
    ours.latestOffset(at(0), ReadMaxRows(300))

    def away(*_: object) -> int:
        raise NotConnected("away")

    with monkeypatch.context() as patch:
        patch.setattr(taking, "take", away)
        patch.setattr(taking, "open", away)
        assert ours.latestOffset(at(250), ReadMaxRows(300)) == at(250)
        assert ours.reportLatestOffset() is not None
    taking.waiting = 10
    assert ours.latestOffset(at(250), ReadMaxRows(300)) == at(260)
    ours.stop()


def test_a_query_that_takes_what_is_available_waits_for_its_broker(
    taking: MemoryTaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "AGAIN_IN", 0.0)
    ours = stream()
    ours.prepareForTriggerAvailableNow()
    assert ours.latestOffset(at(0), ReadMaxRows(100)) == at(100)
    take = taking.take
    tries = iter([NotConnected("away")] * 3)

    def maybe(*wanted: Any) -> int:
        if (error := next(tries, None)) is not None:
            raise error
        return take(*wanted)

    monkeypatch.setattr(taking, "take", maybe)
    # Had it been told that there is nothing, it would have been done.
    assert ours.latestOffset(at(100), ReadMaxRows(300)) == at(200)
    ours.stop()


def test_a_query_that_takes_what_is_available_does_not_wait_without_end(
    taking: MemoryTaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "AGAIN_IN", 0.0)
    ours = stream()
    ours._patience = Patience(ours._clock, away=0.01)
    ours.prepareForTriggerAvailableNow()

    def away(*_: object) -> int:
        raise NotConnected("gone for good")

    monkeypatch.setattr(taking, "take", away)
    with pytest.raises(NotConnected, match="gone for good"):
        ours.latestOffset(at(0), ReadMaxRows(300))
    ours.stop()
