from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.federation.tables import FEDERATION, activities, members, words

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_layout_makes_all_tables_once(database: DomainDatabase) -> None:
    for _ in range(2):
        database.create(FEDERATION)
    found = set(sa.inspect(database.engine).get_table_names())
    assert {table.name for table in (activities, members, words)} <= found
