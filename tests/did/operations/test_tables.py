from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
import sqlalchemy as sa
from msgspec.structs import asdict

from penstock.did.operations.adding import add_operations
from penstock.did.operations.history import (
    first_of_each,
    operations_between,
    operations_of,
    operations_of_all,
)
from penstock.did.operations.tables import OPERATIONS, did_operations, look_over, unpublished_operations
from penstock.messaging.layout import Layout
from tests.sidetree.lives import anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_layout_makes_the_table_once(database: DomainDatabase) -> None:
    for _ in range(2):
        database.create(OPERATIONS)
    assert did_operations.name in sa.inspect(database.engine).get_table_names()


def test_a_dids_operations_are_found_by_its_key(memory: DomainDatabase) -> None:
    memory.create(OPERATIONS)
    asked: list[str] = []

    @sa.event.listens_for(memory.engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        asked.append(statement)

    memory.do(operations_of, "x")
    memory.do(operations_of_all, ["x", "y"])

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


def test_the_first_layouts_operations_get_their_keys(
    database: DomainDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = [anchored(b'{"type":"create"}', f"did-{n % 700}", n, verified=True) for n in range(2100)]

    def make(connection: sa.Connection) -> None:
        columns = [each._copy() for each in did_operations.c if each.name not in {"id", "did_key"}]
        table = sa.Table(did_operations.name, sa.MetaData(), *columns)
        table.append_constraint(sa.PrimaryKeyConstraint("suffix", "reference"))
        table.create(connection)
        rows = [{**asdict(each), "equivalents": "[]", "anchor_origin": "null"} for each in old]
        connection.execute(table.insert(), rows)
        unpublished_operations.create(connection)

    database.create(Layout("operations", sa.MetaData()))
    database.do(make)
    # Whoever dies on the way leaves everything as it was.
    keys = Mock(side_effect=[*range(1500), KeyboardInterrupt])
    with monkeypatch.context() as broken:
        broken.setattr("penstock.did.operations.tables.did_key", keys)
        with pytest.raises(KeyboardInterrupt):
            database.create(OPERATIONS)
    database.create(OPERATIONS)
    assert sorted(database.do(operations_of, "did-3"), key=lambda each: each.time) == old[3::700]
    assert len(database.do(operations_between, database.do(first_of_each, 9000)[0], None)) == len(old)
    assert "penstock_did_operations_1" not in sa.inspect(database.engine).get_table_names()
