from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.operations import OPERATIONS, add_operations, operations_of
from penstock.did.operations.history import operations_in, operations_of_all
from penstock.did.operations.tables import did_batches, did_operations, look_over
from tests.sidetree.lives import anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_layout_makes_the_table_once(database: DomainDatabase) -> None:
    for _ in range(2):
        database.create(OPERATIONS)
    assert {did_operations.name, did_batches.name} <= set(sa.inspect(database.engine).get_table_names())


def test_a_dids_operations_are_found_by_its_key(memory: DomainDatabase) -> None:
    memory.create(OPERATIONS)
    asked: list[str] = []

    @sa.event.listens_for(memory.engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        asked.append(statement)

    memory.do(operations_of, "x")
    memory.do(operations_of_all, ["x", "y"])
    memory.do(operations_in, "uEiA", ["x", "y"])

    def plan(connection: sa.Connection, statement: str) -> str:
        parameters = ("[1]",) * statement.count("?")
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        return " ".join(row.detail for row in rows)

    for statement in [each for each in asked if each.startswith("SELECT")]:
        assert "USING INDEX penstock_did_operations_by_did (did_key=?)" in memory.do(plan, statement)


def test_postgresql_knows_at_once_how_many_there_are(database: DomainDatabase) -> None:
    database.create(OPERATIONS)
    database.do(add_operations, [anchored(b'{"type":"create"}', f"did-{n}", n) for n in range(100)])
    database.do(look_over)
    if database.engine.dialect.name == "postgresql":
        known = sa.text("SELECT reltuples FROM pg_class WHERE relname = 'penstock_did_operations'")
        assert database.do(sa.Connection.scalar, known) == 100
