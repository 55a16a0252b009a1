"""Credentials of this domain's anchors, by the last part of their URL: functions of a database connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from penstock.did.anchoring.tables import credentials
from penstock.messaging.engine import INSERTS
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.did.credentials import AnchorCredential

__all__ = ["put_credential", "read_credential"]


def put_credential(connection: Connection, credential: AnchorCredential) -> None:
    """Keep it; one with more proofs takes the place of what was there."""
    name = credential.name.rstrip("/").rpartition("/")[2]
    fresh = INSERTS[connection.dialect.name](credentials).values(
        name=name, document=canonical(credential.document)
    )
    again = {"document": fresh.excluded.document}
    connection.execute(fresh.on_conflict_do_update(index_elements=[credentials.c.name], set_=again))


def read_credential(connection: Connection, name: str) -> bytes | None:
    """The credential as canonical JSON; None if there is none of that name."""
    return connection.scalar(select(credentials.c.document).where(credentials.c.name == name))
