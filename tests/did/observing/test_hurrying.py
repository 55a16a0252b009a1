from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from penstock.did.anchoring import ANCHORING
from penstock.did.anchoring.links import known_links, put_observed, put_pending, put_told
from penstock.did.anchoring.tables import links
from penstock.did.cas import HashLink
from penstock.did.cas.hashes import resource_hash
from penstock.did.database import DomainDatabase
from penstock.did.observing.hurrying import hurry, make_durable
from penstock.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

ASKED = {"sqlite": "PRAGMA synchronous", "postgresql": "SHOW synchronous_commit"}


def patience(connection: Connection) -> str:
    return str(connection.exec_driver_sql(ASKED[connection.dialect.name]).scalar())


def test_only_those_who_are_in_a_hurry_do_not_wait_for_the_disk(database_url: str) -> None:
    patient, hurried = DomainDatabase(database_url), hurry(DomainDatabase(database_url))
    try:
        # FULL, and on; NORMAL, and off.
        assert patient.do(patience) in {"2", "on"}
        assert hurried.do(patience) in {"1", "off"}
        assert hurried.do(patience) in {"1", "off"}
    finally:
        patient.close()
        hurried.close()


def logged(connection: Connection) -> int:
    """How far the database's log is."""
    if connection.dialect.name == "sqlite":
        return Path(f"{connection.engine.url.database}-wal").stat().st_size
    return int(connection.exec_driver_sql("SELECT pg_current_wal_insert_lsn() - '0/0'").scalar_one())


def on_disk(connection: Connection) -> int:
    """How far it is on disk: SQLite, in no hurry, syncs it with all that is written there."""
    if connection.dialect.name == "sqlite":
        return logged(connection) - 1
    return int(connection.exec_driver_sql("SELECT pg_current_wal_flush_lsn() - '0/0'").scalar_one())


def test_what_was_written_in_a_hurry_is_on_disk_when_an_anchor_is_written_in_none(database_url: str) -> None:
    link = HashLink.to(resource_hash(b"an anchor"), [])
    patient, hurried = DomainDatabase(database_url), hurry(DomainDatabase(database_url))
    try:
        patient.create(ANCHORING)
        hurried.do(put_observed, link, 1.0, issued_at=1.0, stored=7)
        written = patient.read(logged)
        patient.do(make_durable, [link.hash], 2.0)
        assert patient.read(on_disk) >= written
        # What is known of the anchor stays as it is.
        assert patient.read(lambda connection: connection.scalar(select(links.c.stored))) == 7
    finally:
        patient.close()
        hurried.close()


def test_what_a_crash_has_undone_is_not_taken_for_observed(database: DomainDatabase) -> None:
    database.create(ANCHORING)
    kept, lost = (HashLink.to(resource_hash(each), []) for each in (b"kept", b"lost"))
    # Somebody was told of both, and both were stored; then the database has crashed.
    for link in (kept, lost):
        database.do(put_pending, link, 1.0)
        database.do(put_told, link.hash, 1.0)
    database.do(put_observed, kept, 2.0)
    for hashes in ([kept.hash, lost.hash], [lost.hash, kept.hash]):
        with pytest.raises(StoreError, match="1 anchors were stored, and are not there"):
            database.do(make_durable, hashes, 3.0)
    assert database.do(known_links, [lost.hash]) == {lost.hash: "told"}
