from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from penstock.errors import NotConnected, UnknownQueue
from penstock.pipelines.source import spool_taking
from penstock.pipelines.source.spool_taking import SpoolTaking
from penstock.pipelines.spool import filling
from tests.pipelines.source.spooled import until_taken
from tests.pipelines.spool.letters import LetterBox, letter, letters

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.pipelines.spool.lot import Lot


def test_what_comes_is_on_disk_before_it_is_acknowledged(taking: SpoolTaking, box: LetterBox) -> None:
    box.put(*letters(1, 3))
    until_taken(taking, 3)

    assert taking.take(0, 100, 1000) == 3
    assert len(box.acked) == 3
    assert taking.take(0, 2, 1000) == 2
    assert taking.take(3, 100, 1000) == 3
    assert [
        row["message_id"] for batch in taking.read(1, 3, ("message_id",)) for row in batch.to_pylist()
    ] == [
        "l2",
        "l3",
    ]


def test_who_finds_nothing_waits_a_little_for_what_comes(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_taking, "IDLE_IN", 0.01)
    assert taking.take(0, 100, 1000) == 0
    monkeypatch.setattr(spool_taking, "IDLE_IN", 60.0)
    threading.Timer(0.1, box.put, letters(1, 1)).start()
    assert taking.take(0, 100, 1000) == 1


def test_repeated_ones_are_acknowledged_and_left_out(taking: SpoolTaking, box: LetterBox) -> None:
    box.put(*letters(1, 3))
    box.put(*letters(2, 4))
    until_taken(taking, 4)

    assert taking.take(0, 100, 1000) == 4
    assert len(box.acked) == 6


def test_with_a_target_it_waits_for_what_is_to_come(tmp_path: Path) -> None:
    box = LetterBox(letters(1, 2), letters(3, 4))
    taking = SpoolTaking(tmp_path, lambda: box)
    taking.lease("a test", 10)
    state = taking.open()
    target = state.taken + state.waiting
    position, ends = 0, []
    while (end := taking.take(position, 100, 1000, target)) > position:
        ends.append(end)
        position = end

    assert ends[-1] == 4
    taking.close()


def test_with_a_target_it_does_not_wait_for_what_others_took(taking: SpoolTaking) -> None:
    assert taking.take(0, 100, 1000, target=50) == 0
    assert taking.take(50, 100, 1000, target=50) == 50


@pytest.mark.parametrize("error", [UnknownQueue("never again"), KeyError("never again")])
@pytest.mark.parametrize("target", [None, 50])
def test_a_feed_that_ends_is_told_when_what_is_on_disk_is_taken(
    taking: SpoolTaking,
    box: LetterBox,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    target: int | None,
) -> None:
    def fail(_: float) -> Lot:
        raise error

    box.put(letter(1))
    until_taken(taking, 1)
    monkeypatch.setattr(box, "next", fail)
    assert taking._filling._thread is not None
    taking._filling._thread.join(30)

    assert taking.take(0, 10, 1000, target) == 1
    with pytest.raises(type(error), match="never again"):
        taking.take(1, 10, 1000, target)


@pytest.mark.parametrize("target", [None, 50])
def test_a_broker_that_is_away_is_told_until_it_is_back(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch, target: int | None
) -> None:
    is_away = threading.Event()
    is_away.set()
    come = box.next

    def maybe(wait: float) -> Lot | None:
        if is_away.wait(0.01) and is_away.is_set():
            raise NotConnected("not now")
        return come(wait)

    monkeypatch.setattr(box, "next", maybe)
    taking._filling.fill()
    assert taking._filling.wait_beyond(0, 30, or_failure=True)
    with pytest.raises(NotConnected, match="not now"):
        taking.take(0, 10, 1000, target)
    is_away.clear()
    box.put(letter(1))
    until_taken(taking, 1)

    assert taking.take(0, 10, 1000, target) == 1
    assert taking.take(1, 10, 1000, target) == 1


def test_it_does_not_run_ahead_without_end(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "AHEAD", 4)
    box.put(*letters(1, 4))
    until_taken(taking, 4)
    box.put(*letters(5, 6))
    threading.Event().wait(0.3)
    assert taking.take(0, 100, 1000) == 4

    taking.commit(2)
    until_taken(taking, 6)


def test_bytes_limit_how_far_it_runs_ahead_too(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filling, "AHEAD_SIZE", 1)
    box.put(letter(1))
    until_taken(taking, 1)
    box.put(letter(2))
    threading.Event().wait(0.3)
    # It is full, and there is something to give: what else was expected is not waited for.
    taking._expected = 100
    assert taking.take(0, 100, 1000) == 1

    taking.commit(1)
    until_taken(taking, 2)


def test_what_is_closed_and_opened_goes_on(box: LetterBox, tmp_path: Path) -> None:
    first = SpoolTaking(tmp_path, lambda: box)
    first.lease("a test", 10)
    box.put(*letters(1, 3))
    until_taken(first, 3)
    first.commit(1)
    first.close()
    assert box.is_closed

    second = SpoolTaking(tmp_path, LetterBox)
    assert second.open().committed == 1
    second.lease("a test", 10)
    assert (second.open().committed, second.open().taken) == (1, 3)
    second.close()


def test_what_waited_at_the_beginning_counts_while_some_is_on_the_line(tmp_path: Path) -> None:
    class OnTheLine(LetterBox):
        @property
        def waited(self) -> int:
            return 5

    box = OnTheLine()
    taking = SpoolTaking(tmp_path, lambda: box)
    taking.lease("a test", 10)
    assert (box.left(), taking.open().waiting) == (0, 5)
    box.put(*letters(1, 3))
    until_taken(taking, 3)
    assert taking.open().waiting == 2
    # Somebody else may have had the rest.
    assert taking.take(0, 100, 1000, target=5) == 3
    assert taking.take(3, 100, 1000, target=5) == 3
    taking.close()
