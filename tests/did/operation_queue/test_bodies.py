from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.did.operation_queue.bodies import delete_operations, keep_bodies
from penstock.did.operation_queue.cuts import nack_cut
from penstock.did.operation_queue.detached import delete_posted
from penstock.did.operation_queue.expiring import expire_operations
from penstock.did.operation_queue.operation import encode_operation
from penstock.did.operation_queue.tables import bodies, operations, tasks
from penstock.did.operation_queue.taking import read_posted, take
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

BATCH = [posted(number) for number in range(4)]
IDS = [each.id for each in BATCH]


def test_bodies_are_kept_and_replaced(kept: DomainDatabase) -> None:
    kept.do(keep_bodies, [])
    kept.do(keep_bodies, [(7, b"seven"), (8, b"eight")])
    kept.do(keep_bodies, [(8, b"later"), (9, b"nine")])
    assert rows(kept, "sequence", "body", table=bodies) == [(7, b"seven"), (8, b"later"), (9, b"nine")]


def test_every_entry_has_its_body_under_its_sequence(kept: DomainDatabase) -> None:
    take_all(kept, "me", *BATCH[:2])
    # Some of a batch are there already.
    take_all(kept, "me", *BATCH[1:])
    assert rows(kept, "sequence") == rows(kept, "sequence", table=bodies)
    assert rows(kept, "body", table=bodies) == [encode_operation(each.operation) for each in BATCH]


def test_a_later_posting_brings_its_body_and_another_does_not(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(1))
    take_all(kept, "me", posted(1, namespace="did:late"))
    assert rows(kept, "body", table=bodies) == [encode_operation(posted(1).operation)]
    later = posted(1, retries=1, namespace="did:later")
    take_all(kept, "me", later)
    assert kept.do(read_posted, [later.id]) == [later]
    assert len(rows(kept, "body", table=bodies)) == 1


def test_bodies_go_with_their_entries_and_no_others(kept: DomainDatabase) -> None:
    take_all(kept, "me", *BATCH)
    these = operations.c.id.in_(IDS[1:3])
    assert kept.do(delete_operations, these, operations.c.task == "other") == 0
    assert kept.do(delete_operations, these) == 2
    assert rows(kept, "id") == [IDS[0], IDS[3]]
    assert rows(kept, "sequence") == rows(kept, "sequence", table=bodies)


def test_whoever_forgets_an_entry_forgets_its_body(kept: DomainDatabase) -> None:
    cut = cut_all(kept, "me", *BATCH[:2])
    kept.do(nack_cut, cut, claim="mine", now=NOW, error="why", blamed=[])
    kept.do(delete_posted, "mine", IDS[:1])
    take_all(kept, "me", *BATCH[2:])
    assert rows(kept, "sequence", table=bodies) == rows(kept, "sequence") == [2, 3, 4]
    kept.do(lambda connection: connection.execute(sa.delete(tasks)))
    assert kept.do(expire_operations, NOW + 120, 5000) == 2
    assert rows(kept, "sequence", table=bodies) == rows(kept, "sequence") == [2]


def test_a_sequence_that_comes_again_has_the_new_body(kept: DomainDatabase) -> None:
    take_all(kept, "me", *BATCH[:2])
    kept.do(delete_operations, operations.c.id == IDS[1])
    # SQLite gives the number of the last that is gone to the next.
    take_all(kept, "me", *BATCH[2:])
    assert kept.do(read_posted, IDS) == [BATCH[0], *BATCH[2:]]


def test_an_entry_and_its_body_come_together_or_not_at_all(kept: DomainDatabase) -> None:
    def break_off(connection: sa.Connection) -> None:
        take(connection, "me", BATCH, now=NOW, lifespan=1.0)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.do(break_off)
    assert rows(kept, "id") == rows(kept, "body", table=bodies) == []
