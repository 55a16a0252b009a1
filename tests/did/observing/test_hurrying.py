from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.database import DomainDatabase
from penstock.did.observing.hurrying import hurry

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
