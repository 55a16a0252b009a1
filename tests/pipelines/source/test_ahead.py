from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.errors import NotConnected
from penstock.pipelines.source.ahead import Ahead
from tests.pipelines.source.takings import MemoryTaking

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = 1_000_000


@pytest.fixture
def taking() -> MemoryTaking:
    return MemoryTaking(250)


@pytest.fixture
def ahead(taking: MemoryTaking) -> Iterator[Ahead]:
    made = Ahead(taking)
    yield made
    made.close()


def wait(ahead: Ahead) -> None:
    """Until what is done ahead is done."""
    ahead._worker.submit(int).result()


def test_after_a_full_batch_the_next_is_taken_ahead(ahead: Ahead, taking: MemoryTaking) -> None:
    assert ahead.take(0, 100, LARGE, None) == 100
    wait(ahead)
    assert taking.taken == 200

    assert ahead.take(100, 100, LARGE, None) == 200
    wait(ahead)
    assert ahead.take(200, 100, LARGE, None) == 250
    assert ahead.take(250, 100, LARGE, None) == 250


def test_after_one_that_is_not_full_nothing_is(ahead: Ahead, taking: MemoryTaking) -> None:
    assert ahead.take(0, 300, LARGE, None) == 250
    taking.waiting = 10
    wait(ahead)

    assert taking.taken == 250


def test_what_came_since_is_taken_if_nothing_was_there_before(ahead: Ahead, taking: MemoryTaking) -> None:
    assert ahead.take(0, 250, LARGE, None) == 250
    wait(ahead)
    taking.waiting = 10

    assert ahead.take(250, 250, LARGE, None) == 260


def test_what_was_taken_under_other_limits_is_not_lost(ahead: Ahead, taking: MemoryTaking) -> None:
    assert ahead.take(0, 100, LARGE, None) == 100

    assert ahead.take(100, 30, LARGE, None) == 130
    assert ahead.take(130, 200, LARGE, None) == 200
    assert ahead.take(200, 200, LARGE, None) == 250


def test_nothing_beyond_a_target_is_taken(ahead: Ahead, taking: MemoryTaking) -> None:
    assert ahead.take(0, 100, LARGE, 120) == 100
    wait(ahead)

    assert taking.taken == 120
    assert ahead.take(100, 100, LARGE, 120) == 120


def test_a_broker_that_is_away_is_told_of_at_the_next_look(
    ahead: Ahead, taking: MemoryTaking, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = taking.take
    answers = iter([take, None])

    def once(*wanted: int) -> int:
        if next(answers, None) is None:
            raise NotConnected("away")
        return take(*wanted)

    monkeypatch.setattr(taking, "take", once)
    assert ahead.take(0, 100, LARGE, None) == 100
    with pytest.raises(NotConnected):
        ahead.take(100, 100, LARGE, None)
    monkeypatch.setattr(taking, "take", take)
    assert ahead.take(100, 100, LARGE, None) == 200


def test_commits_are_made_soon_and_fail_nothing(
    ahead: Ahead, taking: MemoryTaking, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead.commit(5)
    wait(ahead)
    assert taking.commits == [5]

    def away(_: int) -> None:
        raise NotConnected("away")

    monkeypatch.setattr(taking, "commit", away)
    ahead.commit(6)
    wait(ahead)
    assert "position 6 is committed later: away" in caplog.text
