from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.operation_queue.heartbeat import beat, is_dead, retire, silent_tasks, still_silent
from penstock.did.operation_queue.tables import DETACHED, tasks
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


@pytest.mark.parametrize(
    ("seconds", "dead"), [(0, False), (30, False), (30.99, False), (31, True), (3600, True), (-5, False)]
)
def test_an_instance_is_dead_when_its_last_word_is_older_than_the_expiration(
    seconds: float,
    dead: bool,  # noqa: FBT001  a column of the table
) -> None:
    assert is_dead(NOW - seconds, NOW, 30.0) is dead


def test_who_speaks_is_alive_and_who_is_silent_is_found_by_the_others(kept: DomainDatabase) -> None:
    for task, at in (("me", NOW - 100), ("old", NOW - 50), ("older", NOW - 60), ("young", NOW - 5)):
        kept.do(beat, task, at)
    assert kept.do(silent_tasks, "me", NOW, 30.0) == ["older", "old"]
    kept.do(beat, "old", NOW)
    assert kept.do(silent_tasks, "me", NOW, 30.0) == ["older"]
    assert rows(kept, "task", table=tasks) == ["me", "old", "older", "young"]


def test_before_an_instance_is_cleared_away_its_entry_is_looked_at_again(kept: DomainDatabase) -> None:
    kept.do(beat, "other", NOW - 100)
    assert kept.do(still_silent, "other", NOW, 30.0)
    kept.do(beat, "other", NOW)
    assert not kept.do(still_silent, "other", NOW, 30.0)
    assert not kept.do(still_silent, "nobody", NOW, 30.0)


def test_who_leaves_in_good_order_leaves_its_operations_to_anybody_at_once(kept: DomainDatabase) -> None:
    take_all(kept, "me", posted(1), posted(2))
    take_all(kept, "other", posted(3))
    assert kept.do(retire, "me", NOW) == 2
    assert rows(kept, "task", "retries", "due_at") == [(DETACHED, 0, NOW)] * 2 + [("other", 0, None)]
    assert rows(kept, "task", table=tasks) == ["other"]


def test_cuts_of_one_that_left_are_found_with_its_entry(kept: DomainDatabase) -> None:
    cut_all(kept, "me", posted(1))
    assert kept.do(retire, "me", NOW) == 0
    assert kept.do(silent_tasks, "other", NOW, 30.0) == ["me"]
