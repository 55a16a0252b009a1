from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from penstock.errors import NotConnected
from penstock.pipelines.source import flood as module
from tests.pipelines.source.spooled import until_taken
from tests.pipelines.spool.letters import letter, letters

if TYPE_CHECKING:
    from penstock.pipelines.source.spool_taking import SpoolTaking
    from tests.pipelines.spool.letters import LetterBox


@pytest.fixture
def flood(taking: SpoolTaking, box: LetterBox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Much is still to come, more than when it was opened, and it is waited for as long as it takes."""
    assert taking.open().waiting == 0
    monkeypatch.setattr(box, "left", lambda: 1000)
    monkeypatch.setattr(module, "FLOOD", 2)
    monkeypatch.setattr(module, "PACE", 0.001)
    for limit in ("GATHER_IN", "STILL_IN"):
        monkeypatch.setattr(module, limit, 60.0)
    monkeypatch.setattr(module, "QUIET_IN", 0.0)


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
    monkeypatch.setattr(module, "WORTH_A_BATCH", worth)
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

    monkeypatch.setattr(taking._flood, "_grows", fail)


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
    monkeypatch.setattr(module, limit, value)
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
