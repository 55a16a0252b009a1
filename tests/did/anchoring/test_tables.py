from __future__ import annotations

from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.anchoring.links import put_observed
from penstock.did.anchoring.tables import ANCHORING, anchors, links
from penstock.did.cas import HashLink

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase


def test_the_tables_are_created_once(kept: DomainDatabase) -> None:
    kept.create(ANCHORING)
    found = kept.do(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(anchors)))
    assert found == 0


def go_back(connection: sa.Connection, version: int) -> None:
    """Make the tables those of the first layout, or of the fourth."""
    since = [("since",), ("issued_at",), ("stored", "refused", "reasons")]
    for name in (name for names in since[: 2 if version == 4 else 3] for name in names):
        connection.exec_driver_sql(f"ALTER TABLE penstock_anchor_links DROP COLUMN {name}")
    connection.exec_driver_sql(
        "CREATE TABLE penstock_did_anchors (suffix VARCHAR PRIMARY KEY, anchor TEXT, issued_at FLOAT)"
    )
    layouts = sa.table("penstock_layouts", sa.column("name"), sa.column("version"))
    connection.execute(sa.update(layouts).where(layouts.c.name == "anchoring").values(version=version))


def test_the_dates_of_the_latest_anchors_are_kept(kept: DomainDatabase) -> None:
    first, second = HashLink.of(b"1"), HashLink.of(b"2")
    for link in (first, second):
        kept.do(put_observed, link, 5.0)
    kept.do(go_back, 4)
    names = ("suffix", "anchor", "issued_at")
    old = sa.table("penstock_did_anchors", *map(sa.column, names))
    place = HashLink.to(first.hash, ["https://a.example/cas/1"])
    rows = [("x", str(place), 1.5), ("y", str(place), 1.5)]
    kept.do(sa.Connection.execute, old.insert().values([dict(zip(names, row, strict=True)) for row in rows]))
    kept.create(ANCHORING)
    dates = kept.do(lambda connection: connection.execute(sa.select(links.c.hash, links.c.issued_at)).all())
    assert dict(dates) == {first.hash: 1.5, second.hash: None}
    assert "penstock_did_anchors" not in sa.inspect(kept.engine).get_table_names()


def test_a_database_of_the_first_layout_is_told_of_observations_from_now_on(kept: DomainDatabase) -> None:
    kept.do(go_back, 1)
    for _ in range(2):
        kept.create(ANCHORING)
    inspector = sa.inspect(kept.engine)
    found = inspector.get_columns("penstock_anchor_links")
    assert {column["name"] for column in found} == {column.name for column in links.c}
    indexes = inspector.get_indexes("penstock_anchor_links")
    assert {index["name"] for index in indexes} == {index.name for index in links.indexes}


def test_what_is_not_observed_is_indexed_where_no_index_was(kept: DomainDatabase) -> None:
    def go_back_one(connection: sa.Connection) -> None:
        connection.exec_driver_sql("DROP INDEX penstock_anchor_links_open")
        connection.exec_driver_sql("UPDATE penstock_layouts SET version = 6 WHERE name = 'anchoring'")

    kept.do(go_back_one)
    kept.create(ANCHORING)
    indexes = sa.inspect(kept.engine).get_indexes("penstock_anchor_links")
    assert "penstock_anchor_links_open" in {index["name"] for index in indexes}
