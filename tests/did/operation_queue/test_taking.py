from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.operation_queue.cuts import nack_cut
from penstock.did.operation_queue.heartbeat import retire
from penstock.did.operation_queue.tables import DETACHED, tasks
from penstock.did.operation_queue.taking import read_posted, take
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_operations_are_kept_in_order_under_their_instance_which_lives(kept: DomainDatabase) -> None:
    batch = [posted(number, retries=number, has_error=number == 2) for number in (3, 1, 2)]
    assert take_all(kept, "me", *batch) == {"did-1", "did-2", "did-3"}
    assert rows(kept, "id", "task", "retries", "has_error", "added_at", "expires_at") == [
        (each.id, "me", each.retries, each.has_error, NOW, NOW + 120) for each in batch
    ]
    assert rows(kept, "task", "updated_at", table=tasks) == [("me", NOW)]
    found = kept.do(read_posted, [each.id for each in reversed(batch)])
    assert found == batch[::-1]
    # A message says true or false, and no number.
    assert [each.has_error for each in found if each.has_error is True] == [True]


def test_a_message_that_comes_twice_is_one_entry(kept: DomainDatabase) -> None:
    take_all(kept, "me", posted(1))
    assert take_all(kept, "me", posted(1), posted(2), now=NOW + 5) == {"did-1", "did-2"}
    assert rows(kept, "added_at") == [NOW, NOW + 5]


def test_an_operation_that_waits_at_another_instance_stays_there(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(1))
    assert take_all(kept, "me", posted(1)) == set()
    assert rows(kept, "task") == ["other"]


def test_a_later_posting_takes_the_entry_over_and_brings_its_own_marks(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(1))
    assert take_all(kept, "me", posted(1, retries=1, has_error=True), now=NOW + 9) == {"did-1"}
    assert rows(kept, "task", "retries", "has_error", "added_at") == [("me", 1, True, NOW + 9)]
    assert take_all(kept, "other", posted(1)) == set()


@pytest.mark.parametrize(("retries", "takes"), [(0, set()), (1, {"did-1"}), (2, {"did-1"})])
def test_a_detached_entry_is_taken_by_the_message_that_posts_it(
    kept: DomainDatabase, retries: int, takes: set[str]
) -> None:
    record = cut_all(kept, "other", posted(1))
    kept.do(nack_cut, record, claim="claim", now=NOW, error="it failed", blamed=[])
    assert rows(kept, "task", "retries", "claim") == [(DETACHED, 1, "claim")]
    # The message was posted, and comes before its entry is deleted.
    assert take_all(kept, "me", posted(1, retries=retries)) == takes
    if takes:
        assert rows(kept, "task", "claim", "due_at", "error") == [("me", None, None, None)]


def test_an_entry_of_an_instance_that_has_left_is_taken_without_a_retry(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(1))
    kept.do(retire, "other", NOW)
    assert take_all(kept, "me", posted(1)) == {"did-1"}


@pytest.mark.parametrize("retries", [0, 1, 20])
def test_what_is_in_a_cut_is_not_taken_again(kept: DomainDatabase, retries: int) -> None:
    record = cut_all(kept, "me", posted(1))
    for instance in ("me", "other"):
        assert take_all(kept, instance, posted(1, retries=retries)) == set()
    assert rows(kept, "task", "cut", "retries") == [("me", record.id, 0)]


def test_a_thousand_at_once_are_taken_as_one_is(kept: DomainDatabase) -> None:
    batch = [posted(number) for number in range(1000)]
    assert len(kept.do(take, "me", batch, now=NOW, lifespan=1.0)) == 1000
    assert rows(kept, "id") == [each.id for each in batch]


def test_who_reads_unknown_operations_finds_none(kept: DomainDatabase) -> None:
    assert kept.do(read_posted, ["nobody"]) == []
    assert kept.do(read_posted, []) == []
