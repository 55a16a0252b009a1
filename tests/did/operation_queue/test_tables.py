from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
import sqlalchemy as sa

from penstock.did.operation_queue.cuts import read_cut
from penstock.did.operation_queue.tables import OPERATION_QUEUE, TOLD, bodies, cuts, held_by, operations
from penstock.did.operation_queue.taking import read_operations_of, read_posted
from tests.did.operation_queue.helpers import posted
from tests.did.operation_queue.support import cut_all, rows, take_all

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

BATCH = [posted(number) for number in range(5)]
IDS = [each.id for each in BATCH]


def forget_numbers(connection: sa.Connection) -> None:
    """Make of today's layout the third one, whose cuts knew no numbers of rows."""
    connection.exec_driver_sql("ALTER TABLE penstock_cuts DROP COLUMN sequences")
    connection.exec_driver_sql("UPDATE penstock_layouts SET version = 3")


def join_bodies(connection: sa.Connection) -> None:
    """Make of today's layout the second one, which had a body in each row."""
    forget_numbers(connection)
    kind = bodies.c.body.type.compile(connection.dialect)
    connection.exec_driver_sql(f"ALTER TABLE {operations.name} ADD COLUMN body {kind}")
    connection.exec_driver_sql(
        "UPDATE penstock_operations SET body = (SELECT body FROM penstock_operation_bodies AS parted"
        " WHERE parted.sequence = penstock_operations.sequence)"
    )
    bodies.drop(connection)
    connection.exec_driver_sql("UPDATE penstock_layouts SET version = 2")


@pytest.fixture
def second(kept: DomainDatabase) -> DomainDatabase:
    """A database of the second layout, with operations: two of them are in a cut."""
    cut_all(kept, "me", *BATCH[:2])
    take_all(kept, "me", *BATCH[2:])
    kept.do(join_bodies)
    return kept


def shape(database: DomainDatabase) -> object:
    """The columns and indexes of operations, and the tables."""
    found = sa.inspect(database.engine)
    columns = {
        each["name"]: (str(each["type"]), each["nullable"]) for each in found.get_columns(operations.name)
    }
    indexes = sorted(str(each["name"]) for each in found.get_indexes(operations.name))
    unique = [each["column_names"] for each in found.get_unique_constraints(operations.name)]
    return columns, indexes, unique, sorted(found.get_table_names())


def test_the_layout_makes_all_tables(database: DomainDatabase) -> None:
    for _ in range(2):
        database.create(OPERATION_QUEUE)
    tables = {"penstock_operations", "penstock_operation_bodies", "penstock_cuts", "penstock_operation_tasks"}
    assert tables <= set(sa.inspect(database.engine).get_table_names())


def test_a_database_of_the_first_layout_is_told_of_batches_from_now_on(database: DomainDatabase) -> None:
    database.create(OPERATION_QUEUE)

    def before(connection: sa.Connection) -> None:
        join_bodies(connection)
        for name in TOLD:
            connection.exec_driver_sql(f"ALTER TABLE penstock_cuts DROP COLUMN {name}")
        connection.exec_driver_sql("UPDATE penstock_layouts SET version = 1")

    database.do(before)
    for _ in range(2):
        database.create(OPERATION_QUEUE)
    found = sa.inspect(database.engine).get_columns("penstock_cuts")
    assert {column["name"] for column in found} == {column.name for column in cuts.c}


def test_cuts_of_the_third_layout_are_read_by_ids_and_later_ones_by_numbers(kept: DomainDatabase) -> None:
    old = cut_all(kept, "me", *BATCH[:2])
    kept.do(forget_numbers)
    for _ in range(2):
        kept.create(OPERATION_QUEUE)
    new = cut_all(kept, "me", *BATCH[2:])
    found = [kept.do(read_cut, each.id) for each in (old, new)]
    assert [each and each.sequences for each in found] == [(), (3, 4, 5)]
    read = [kept.do(read_operations_of, each) for each in found if each is not None]
    assert read == [BATCH[:2], BATCH[2:]]


def test_bodies_of_the_second_layout_get_rows_of_their_own(second: DomainDatabase) -> None:
    # One that an older Penstock has acked, too, without a body.
    nulled = sa.text("UPDATE penstock_operations SET body = NULL WHERE sequence = 1")
    second.do(lambda connection: connection.execute(nulled))
    before = rows(second, *operations.c.keys())
    for _ in range(2):
        second.create(OPERATION_QUEUE)
    assert rows(second, *operations.c.keys()) == before
    assert second.do(read_posted, IDS) == BATCH[1:]
    # What comes next is counted on from there.
    take_all(second, "me", posted(9))
    assert rows(second, "sequence") == [1, 2, 3, 4, 5, 6]


def test_a_database_that_was_brought_on_is_as_a_new_one(kept: DomainDatabase) -> None:
    new = shape(kept)
    kept.do(join_bodies)
    assert shape(kept) != new
    kept.create(OPERATION_QUEUE)
    assert shape(kept) == new


def test_whoever_dies_when_bodies_are_parted_leaves_everything_as_it_was(
    second: DomainDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shape(second)
    # When bodies have been copied, and dropped, and only the version is not written yet.
    with monkeypatch.context() as broken:
        broken.setattr("penstock.messaging.layout.update", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            second.create(OPERATION_QUEUE)
    assert shape(second) == before
    second.create(OPERATION_QUEUE)
    assert second.do(read_posted, IDS) == BATCH


def test_what_an_older_instance_takes_meanwhile_keeps_its_body(second: DomainDatabase) -> None:
    copied = sa.text(
        "INSERT INTO penstock_operations (id, task, retries, has_error, added_at, expires_at, body)"
        " SELECT 'late', task, retries, has_error, added_at, expires_at, body"
        " FROM penstock_operations WHERE sequence = 1"
    )
    with ThreadPoolExecutor(1) as threads:
        with second.engine.begin() as older:
            older.execute(copied)
            done = threads.submit(second.create, OPERATION_QUEUE)
            # Long enough to get to where it waits; if not, there is nothing to be seen.
            with pytest.raises(TimeoutError):
                done.result(0.3)
        done.result(60)
    (late,) = second.do(read_posted, ["late"])
    assert late.operation == BATCH[0].operation


def test_what_is_found_by_id_is_not_looked_for_among_all_that_waits(kept_in_memory: DomainDatabase) -> None:
    def plan(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> str:
        query = sa.select(operations.c.id).where(operations.c.cut.is_(None), *conditions)
        text = str(query.compile(connection, compile_kwargs={"literal_binds": True}))
        return " ".join(row.detail for row in connection.execute(sa.text(f"EXPLAIN QUERY PLAN {text}")))

    ids = operations.c.id.in_(sa.select(sa.func.json_each("[1]").table_valued("value").c.value))
    assert "(id=?)" in kept_in_memory.do(plan, ids, held_by == "me")
    assert "penstock_operations_waiting (task=?)" in kept_in_memory.do(plan, operations.c.task == "me")
