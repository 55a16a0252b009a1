from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.operations.tables import OPERATIONS, did_operations

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_layout_makes_the_table_once(database: DomainDatabase) -> None:
    for _ in range(2):
        database.create(OPERATIONS)
    assert did_operations.name in sa.inspect(database.engine).get_table_names()


def test_a_dids_operations_are_found_by_its_key(memory: DomainDatabase) -> None:
    memory.create(OPERATIONS)

    def plan(connection: sa.Connection) -> str:
        asked = "EXPLAIN QUERY PLAN SELECT * FROM penstock_did_operations WHERE suffix = 'x'"
        return " ".join(row.detail for row in connection.execute(sa.text(asked)))

    assert "INDEX sqlite_autoindex_penstock_did_operations_1 (suffix=?)" in memory.do(plan)
