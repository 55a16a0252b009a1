from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.operation_queue.tables import OPERATION_QUEUE, TOLD, cuts, held_by, operations

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_layout_makes_all_tables(database: DomainDatabase) -> None:
    for _ in range(2):
        database.create(OPERATION_QUEUE)
    assert {"penstock_operations", "penstock_cuts", "penstock_operation_tasks"} <= set(
        sa.inspect(database.engine).get_table_names()
    )


def test_a_database_of_the_first_layout_is_told_of_batches_from_now_on(database: DomainDatabase) -> None:
    database.create(OPERATION_QUEUE)

    def before(connection: sa.Connection) -> None:
        for name in TOLD:
            connection.exec_driver_sql(f"ALTER TABLE penstock_cuts DROP COLUMN {name}")
        connection.exec_driver_sql("UPDATE penstock_layouts SET version = 1")

    database.do(before)
    for _ in range(2):
        database.create(OPERATION_QUEUE)
    found = sa.inspect(database.engine).get_columns("penstock_cuts")
    assert {column["name"] for column in found} == {column.name for column in cuts.c}


def test_what_is_found_by_id_is_not_looked_for_among_all_that_waits(kept_in_memory: DomainDatabase) -> None:
    def plan(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> str:
        query = sa.select(operations.c.id).where(operations.c.cut.is_(None), *conditions)
        text = str(query.compile(connection, compile_kwargs={"literal_binds": True}))
        return " ".join(row.detail for row in connection.execute(sa.text(f"EXPLAIN QUERY PLAN {text}")))

    ids = operations.c.id.in_(sa.select(sa.func.json_each("[1]").table_valued("value").c.value))
    assert "(id=?)" in kept_in_memory.do(plan, ids, held_by == "me")
    assert "penstock_operations_waiting (task=?)" in kept_in_memory.do(plan, operations.c.task == "me")
