from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.operation_queue.cuts import LeftOut, ack_cut, read_cut, record_anchor, record_files
from penstock.did.operation_queue.expiring import expire_acked, expire_operations
from penstock.did.operation_queue.heartbeat import retire
from penstock.did.operation_queue.tables import bodies, cuts, tasks
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

LATE = NOW + 10_000_000


def acked(database: DomainDatabase, *numbers: int, expires_at: float) -> None:
    record = cut_all(database, "me", *map(posted, numbers))
    database.do(record_files, record, {}, LeftOut(), now=NOW)
    database.do(record_anchor, record, "hl:x", now=NOW)
    found = database.do(read_cut, record.id)
    assert found is not None
    database.do(ack_cut, found, claim="c", now=NOW, lifespan=1.0, expires_at=expires_at)


def test_no_operation_expires_that_a_task_a_cut_or_the_monitor_has(kept: DomainDatabase) -> None:
    # Of a task that is dead, and nobody has looked after it yet: the domain was down for long (orb#1395).
    take_all(kept, "dead", posted(1))
    cut_all(kept, "dead", posted(2))
    take_all(kept, "left", posted(3))
    kept.do(retire, "left", NOW)
    assert kept.do(expire_operations, LATE, 5000) == 0
    assert len(rows(kept, "id")) == 3


def test_an_entry_that_is_nobodys_goes_when_it_has_expired(kept: DomainDatabase) -> None:
    take_all(kept, "me", *(posted(number) for number in range(5)))
    kept.do(lambda connection: connection.execute(sa.delete(tasks)))
    assert kept.do(expire_operations, NOW + 119, 5000) == 0
    assert [kept.do(expire_operations, NOW + 120, 2) for _ in range(4)] == [2, 2, 1, 0]
    assert rows(kept, "id") == []


def test_acked_operations_are_forgotten_with_their_cut_some_at_a_time(kept: DomainDatabase) -> None:
    acked(kept, 1, 2, 3, expires_at=NOW + 60)
    acked(kept, 4, 5, expires_at=NOW + 50)
    acked(kept, 6, expires_at=NOW + 90)
    cut_all(kept, "me", posted(7))
    assert kept.do(expire_acked, NOW + 49, 5000) == 0
    assert [kept.do(expire_acked, NOW + 60, 2) for _ in range(4)] == [2, 2, 1, 0]
    assert len(rows(kept, "id")) == 2
    assert rows(kept, "sequence", table=bodies) == rows(kept, "sequence")
    assert rows(kept, "state", table=cuts) == ["acked", "cut"]


def test_an_operation_that_went_on_from_an_acked_cut_is_not_forgotten_with_it(kept: DomainDatabase) -> None:
    record = cut_all(kept, "me", posted(1), posted(2))
    kept.do(record_files, record, {}, LeftOut((posted(2).id,)), now=NOW)
    kept.do(record_anchor, record, "hl:x", now=NOW)
    found = kept.do(read_cut, record.id)
    assert found is not None
    kept.do(ack_cut, found, claim="c", now=NOW, lifespan=1.0, expires_at=NOW)
    assert kept.do(expire_acked, NOW, 5000) == 1
    assert rows(kept, "id") == [posted(2).id]
