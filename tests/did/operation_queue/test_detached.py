from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.operation_queue.detached import (
    CLAIM_S,
    claim_due,
    claimed_page,
    delete_posted,
    detach_waiting,
    release_claim,
)
from penstock.did.operation_queue.tables import DETACHED
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def detach(database: DomainDatabase, *, claim: str = "mine", limit: int | None = None) -> bool:
    return database.do(detach_waiting, "other", claim=claim, now=NOW, error="it is gone", limit=limit)


def test_what_waits_at_an_instance_is_detached_and_claimed_at_once(kept: DomainDatabase) -> None:
    cut_all(kept, "other", posted(9))
    take_all(kept, "other", posted(1), posted(2, retries=3))
    take_all(kept, "me", posted(4))
    assert detach(kept)
    assert rows(kept, "task", "claim", "due_at", "retries", "error") == [
        ("other", None, None, 0, None),
        (DETACHED, "mine", NOW + CLAIM_S, 1, "it is gone"),
        (DETACHED, "mine", NOW + CLAIM_S, 4, "it is gone"),
        ("me", None, None, 0, None),
    ]


@pytest.mark.parametrize(("limit", "is_all"), [(1, False), (2, False), (3, True), (4, True)])
def test_only_so_many_are_detached_the_first_first(
    kept: DomainDatabase,
    limit: int,
    is_all: bool,  # noqa: FBT001  a column of the table
) -> None:
    take_all(kept, "other", posted(3), posted(1), posted(2))
    assert detach(kept, limit=limit) is is_all
    assert rows(kept, "task") == [DETACHED] * min(limit, 3) + ["other"] * (3 - limit)


def test_a_claim_is_left_to_its_owner_until_it_has_run_out(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(1), posted(2))
    detach(kept)
    assert kept.do(claim_due, "yours", NOW + CLAIM_S - 1) == 0
    assert kept.do(claim_due, "yours", NOW + CLAIM_S) == 2
    assert kept.do(claim_due, "theirs", NOW + CLAIM_S) == 0
    assert kept.do(claimed_page, "mine", 10) == []


def test_a_claims_operations_are_read_page_by_page_in_order(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(3, has_error=True), posted(1))
    detach(kept)
    (first,) = kept.do(claimed_page, "mine", 1)
    assert (first.posted, first.error, first.added_at) == (
        posted(3, retries=1, has_error=True),
        "it is gone",
        NOW,
    )
    assert [each.posted.operation.unique_suffix for each in kept.do(claimed_page, "mine", 5)] == [
        "did-3",
        "did-1",
    ]


def test_what_the_broker_has_is_deleted_unless_somebody_has_taken_it_meanwhile(kept: DomainDatabase) -> None:
    batch = [posted(number) for number in (1, 2, 3)]
    take_all(kept, "other", *batch)
    detach(kept)
    # The second has come back already.
    take_all(kept, "me", posted(2, retries=1))
    kept.do(delete_posted, "mine", [batch[0].id, batch[1].id])
    assert rows(kept, "id", "task") == [(batch[1].id, "me"), (batch[2].id, DETACHED)]
    kept.do(delete_posted, "yours", [batch[2].id])
    assert len(rows(kept, "id")) == 2


def test_what_is_released_is_anybodys_at_once(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(1))
    detach(kept)
    kept.do(release_claim, "yours", NOW)
    assert kept.do(claim_due, "yours", NOW) == 0
    kept.do(release_claim, "mine", NOW)
    assert kept.do(claim_due, "yours", NOW) == 1
