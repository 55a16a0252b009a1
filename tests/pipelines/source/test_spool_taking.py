from __future__ import annotations

import math
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from penstock.errors import NotConnected, StoreFull, UnknownQueue
from penstock.pipelines.source import spool_taking
from penstock.pipelines.source.spool_taking import SpoolTaking
from tests.pipelines.spool.letters import LetterBox, letter, letters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.pipelines.spool.lot import Lot


@pytest.fixture
def box() -> LetterBox:
    return LetterBox()


@pytest.fixture
def taking(box: LetterBox, tmp_path: Path) -> Iterator[SpoolTaking]:
    made = SpoolTaking(tmp_path, lambda: box)
    made.lease("a test", 10)
    yield made
    made.close()


def until_taken(taking: SpoolTaking, position: int) -> None:
    with taking._changed:
        assert taking._changed.wait_for(lambda: taking._spool.taken >= position, 30)


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


def test_a_full_disk_is_waited_for(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spool_taking, "FULL_IN", 0.01)
    append = taking._spool.append
    tries = iter([StoreFull("full"), StoreFull("full")])

    def maybe(lot: Lot, now: float) -> int:
        if (error := next(tries, None)) is not None:
            raise error
        return append(lot, now)

    monkeypatch.setattr(taking._spool, "append", maybe)
    box.put(letter(1))
    until_taken(taking, 1)

    assert len(box.acked) == 1


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
    assert taking._thread is not None
    taking._thread.join(30)

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
    with taking._changed:
        assert taking._changed.wait_for(lambda: taking._failure is not None, 30)
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
    monkeypatch.setattr(spool_taking, "AHEAD", 4)
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
    monkeypatch.setattr(spool_taking, "AHEAD_SIZE", 1)
    box.put(letter(1))
    until_taken(taking, 1)
    box.put(letter(2))
    threading.Event().wait(0.3)
    # It is full, and there is something to give: what else was expected is not waited for.
    taking._expected = 100
    assert taking.take(0, 100, 1000) == 1

    taking.commit(1)
    until_taken(taking, 2)


def test_two_batches_may_wait_however_large(box: LetterBox, tmp_path: Path) -> None:
    taking = SpoolTaking(tmp_path, lambda: box, max_rows=spool_taking.AHEAD)
    taking._spool.taken = 2 * spool_taking.AHEAD - 1
    assert not taking._is_ahead
    taking._spool.taken += 1
    assert taking._is_ahead


@pytest.fixture
def flood(taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Much is still to come, more than when it was opened, and it is waited for as long as it takes."""
    assert taking.open().waiting == 0
    monkeypatch.setattr(box, "left", lambda: 1000)
    monkeypatch.setattr(spool_taking, "FLOOD", 2)
    monkeypatch.setattr(spool_taking, "PACE", 0.001)
    for limit in ("GATHER_IN", "STILL_IN"):
        monkeypatch.setattr(spool_taking, limit, 60.0)
    monkeypatch.setattr(spool_taking, "QUIET_IN", 0.0)


@pytest.mark.usefixtures("flood")
def test_in_a_flood_a_batch_is_waited_for_until_it_is_full(taking: SpoolTaking, box: LetterBox) -> None:
    box.put(*letters(1, 2))
    until_taken(taking, 2)
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(taking.take, 0, 4, 1000)
        box.put(letter(3))
        until_taken(taking, 3)
        assert not taken.done()
        box.put(*letters(4, 5))
        assert taken.result(30) == 4


@pytest.mark.usefixtures("flood")
@pytest.mark.parametrize(("worth", "end"), [(2, 8), (3, 10)])
def test_the_last_part_of_a_flood_is_left_to_the_next_batch_if_it_is_worth_one(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch, worth: int, end: int
) -> None:
    monkeypatch.setattr(spool_taking, "WORTH_A_BATCH", worth)
    monkeypatch.setattr(box, "left", lambda: 10 - taking._spool.taken)
    box.put(*letters(1, 2))
    until_taken(taking, 2)
    with ThreadPoolExecutor(1) as pool:
        # Ten rows are full, eight are four fifths of what is known of.
        taken = pool.submit(taking.take, 0, 10, 1000)
        for number in range(3, end + 1):
            assert not taken.done()
            box.put(letter(number))
            until_taken(taking, number)
        assert taken.result(30) == end


@pytest.fixture
def impatient(taking: SpoolTaking, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits for more fails."""

    def fail(_: float) -> bool:
        raise AssertionError("it was waited for")

    monkeypatch.setattr(taking, "_grows", fail)


@pytest.mark.usefixtures("flood", "impatient")
@pytest.mark.parametrize(("rows", "size", "end"), [(2, 1000, 2), (100, 17, 2), (100, 1, 1)])
def test_a_full_batch_is_not_waited_for(
    taking: SpoolTaking, box: LetterBox, rows: int, size: int, end: int
) -> None:
    box.put(*letters(1, 3))
    until_taken(taking, 3)

    assert taking.take(0, rows, size) == end


@pytest.mark.usefixtures("flood", "impatient")
def test_few_messages_are_given_at_once(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    box.put(*letters(1, 2))
    until_taken(taking, 2)

    assert taking.take(1, 100, 1000) == 2
    monkeypatch.setattr(box, "left", lambda: 0)
    assert taking.take(0, 100, 1000) == 2  # nothing is left at the broker


@pytest.mark.usefixtures("flood", "impatient")
def test_a_broker_that_is_away_is_not_waited_for(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> int:
        raise NotConnected("not now")

    box.put(*letters(1, 2))
    until_taken(taking, 2)
    monkeypatch.setattr(box, "left", fail)

    assert taking.take(0, 100, 1000) == 2


@pytest.mark.usefixtures("flood")
@pytest.mark.parametrize(
    ("limit", "value", "left"),
    [
        ("STILL_IN", 0.0, 1000),  # nothing comes, though it should
        ("GATHER_IN", 0.0, 1000),
        ("PACE", math.inf, 1000),
    ],
)
def test_a_flood_that_ends_or_lasts_is_not_waited_for_any_longer(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch, limit: str, value: float, left: int
) -> None:
    monkeypatch.setattr(box, "left", lambda: left)
    monkeypatch.setattr(spool_taking, limit, value)
    box.put(*letters(1, 2))
    until_taken(taking, 2)
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(taking.take, 0, 1000, 100_000)
        number = 3
        while not taken.done():
            assert number < 1000, "it is still waited for"
            box.put(letter(number))
            until_taken(taking, number)
            number += 1
        assert 2 <= taken.result() < number


@pytest.mark.usefixtures("flood")
@pytest.mark.parametrize(
    "left",
    [
        {2: 2, 3: 1, 4: 0},
        {2: 7, 3: 6, 4: 0},  # some are counted twice as long as messages come
        {2: 1, 3: 1, 4: 0},  # at the beginning the fourth is on the line, and counted nowhere
    ],
    ids=["as it is", "twice", "on the line"],
)
def test_a_flood_is_over_when_its_last_message_is_there_and_not_before(
    taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch, left: dict[int, int]
) -> None:
    monkeypatch.setattr(box, "left", lambda: left[taking._spool.taken])
    box.put(*letters(1, 2))
    until_taken(taking, 2)
    with ThreadPoolExecutor(1) as pool:
        taken = pool.submit(taking.take, 0, 1000, 100_000)
        box.put(letter(3))
        until_taken(taking, 3)
        assert not taken.done()
        box.put(letter(4))
        assert taken.result(30) == 4


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
