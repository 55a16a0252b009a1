from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.operation_queue.hearing import GONE
from penstock.did.operation_queue.heartbeat import beat, last_words, retire, still_silent
from penstock.did.operation_queue.tables import DETACHED, tasks
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_each_tells_the_others_when_it_spoke_last(kept: DomainDatabase) -> None:
    for task, at in (("me", NOW - 100), ("old", NOW - 50), ("older", NOW - 60), ("young", NOW - 5)):
        kept.do(beat, task, at)
    found = kept.do(last_words, "me")
    assert list(found.items()) == [("older", NOW - 60), ("old", NOW - 50), ("young", NOW - 5)]
    kept.do(beat, "old", NOW)
    assert kept.do(last_words, "me")["old"] == NOW
    assert rows(kept, "task", table=tasks) == ["me", "old", "older", "young"]


def test_before_an_instance_is_cleared_away_its_entry_is_looked_at_again(kept: DomainDatabase) -> None:
    kept.do(beat, "other", NOW - 100)
    assert kept.do(still_silent, "other", NOW - 100)
    kept.do(beat, "other", NOW)
    assert not kept.do(still_silent, "other", NOW - 100)
    assert not kept.do(still_silent, "nobody", NOW - 100)


def test_who_leaves_in_good_order_leaves_its_operations_to_anybody_at_once(kept: DomainDatabase) -> None:
    take_all(kept, "me", posted(1), posted(2))
    take_all(kept, "other", posted(3))
    assert kept.do(retire, "me", NOW) == 2
    assert rows(kept, "task", "retries", "due_at") == [(DETACHED, 0, NOW)] * 2 + [("other", 0, None)]
    assert rows(kept, "task", table=tasks) == ["other"]


def test_cuts_of_one_that_left_are_found_with_its_entry(kept: DomainDatabase) -> None:
    cut_all(kept, "me", posted(1))
    assert kept.do(retire, "me", NOW) == 0
    assert kept.do(last_words, "other") == {"me": GONE}
