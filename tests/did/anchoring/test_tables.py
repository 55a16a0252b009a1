from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.anchoring.tables import ANCHORING, anchors, links

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_tables_are_created_once(kept: DomainDatabase) -> None:
    kept.create(ANCHORING)
    found = kept.do(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(anchors)))
    assert found == 0


def test_a_database_of_the_first_layout_is_told_of_observations_from_now_on(kept: DomainDatabase) -> None:
    def before(connection: sa.Connection) -> None:
        for name in ("stored", "refused", "reasons"):
            connection.exec_driver_sql(f"ALTER TABLE penstock_anchor_links DROP COLUMN {name}")
        connection.exec_driver_sql("UPDATE penstock_layouts SET version = 1 WHERE name = 'anchoring'")

    kept.do(before)
    for _ in range(2):
        kept.create(ANCHORING)
    found = sa.inspect(kept.engine).get_columns("penstock_anchor_links")
    assert {column["name"] for column in found} == {column.name for column in links.c}
