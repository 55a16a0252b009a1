from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from penstock.did.operation_queue import taking
from penstock.did.operation_queue.bodies import delete_operations
from penstock.did.operation_queue.cuts import nack_cut
from penstock.did.operation_queue.heartbeat import retire
from penstock.did.operation_queue.tables import DETACHED, bodies, operations, tasks
from penstock.did.operation_queue.taking import read_entries, read_operations_of, read_posted, take
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import NOW, cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

CUT = [posted(2), posted(1), posted(3)]


def renumber(database: DomainDatabase, *moves: tuple[int, int]) -> None:
    """Give rows, and their bodies, other numbers."""

    def work(connection: sa.Connection) -> None:
        for table in (operations, bodies):
            for old, new in moves:
                connection.execute(sa.update(table).where(table.c.sequence == old).values(sequence=new))

    database.do(work)


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


def test_who_takes_operations_is_told_the_numbers_of_their_rows(kept: DomainDatabase) -> None:
    take_all(kept, "other", posted(1), posted(4))
    take_all(kept, "me", posted(2))
    # One is taken over, one is another's, one waits here already, and one is new.
    batch = [posted(3), posted(2), posted(1, retries=1), posted(4)]
    mine = kept.do(take, "me", batch, now=NOW, lifespan=1.0)
    at = dict(zip(rows(kept, "id"), rows(kept, "sequence"), strict=True))
    assert mine == {each.id: at[each.id] for each in batch[:3]}
    entries = kept.do(read_entries, list(mine))
    assert {each.id: each.sequence for each in entries} == mine


def test_a_cut_is_read_by_the_numbers_of_its_rows(
    kept: DomainDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_all(kept, "me", posted(1), posted(9))
    record = cut_all(kept, "me", *CUT)
    assert record.sequences[1] == 1
    monkeypatch.delattr(taking, "read_posted")
    assert kept.do(read_operations_of, record) == CUT


@pytest.mark.parametrize(
    "moves",
    [
        # One was taken anew, under another number.
        [(2, 90)],
        # And its number is that of one that waits, or of one in another cut.
        [(2, 90), (4, 2)],
        [(2, 90), (5, 2)],
        # Two have each other's, or all have others'.
        [(1, 90), (2, 1), (90, 2)],
        [(1, 91), (2, 92), (3, 93), (4, 1), (5, 2)],
    ],
)
def test_a_cut_has_its_operations_whatever_became_of_their_numbers(
    kept: DomainDatabase, moves: list[tuple[int, int]]
) -> None:
    record = cut_all(kept, "me", *CUT)
    take_all(kept, "me", posted(4))
    other = cut_all(kept, "me", posted(5))
    renumber(kept, *moves)
    assert kept.do(read_operations_of, record) == CUT
    assert kept.do(read_operations_of, other) == [posted(5)]


def test_a_number_that_comes_again_brings_nothing_into_a_cut(kept: DomainDatabase) -> None:
    record = cut_all(kept, "me", *CUT)
    kept.do(delete_operations, operations.c.id == CUT[2].id)
    # SQLite gives it to the next.
    later = cut_all(kept, "me", posted(4))
    assert kept.do(read_operations_of, record) == CUT[:2]
    assert kept.do(read_operations_of, later) == [posted(4)]


def test_a_cut_without_numbers_or_with_those_of_another_is_read_by_ids(kept: DomainDatabase) -> None:
    first, second = cut_all(kept, "me", *CUT), cut_all(kept, "me", posted(4), posted(5), posted(6))
    for sequences in ((), second.sequences, first.sequences[:2]):
        assert kept.do(read_operations_of, replace(first, sequences=sequences)) == CUT


def test_numbers_lead_straight_to_a_cuts_rows(kept_in_memory: DomainDatabase) -> None:
    record = cut_all(kept_in_memory, "me", *CUT)
    asked: list[tuple[str, Any]] = []
    sa.event.listen(
        kept_in_memory.engine,
        "before_cursor_execute",
        lambda _connection, _cursor, statement, values, *_: asked.append((statement, values)),
    )
    kept_in_memory.do(read_operations_of, record)
    ((statement, values),) = [each for each in asked if each[0].startswith("SELECT")]

    def plan(connection: sa.Connection) -> list[str]:
        found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
        return [row.detail.split()[0] for row in found]

    assert kept_in_memory.do(plan) == ["SCAN", "SEARCH", "SEARCH"]
