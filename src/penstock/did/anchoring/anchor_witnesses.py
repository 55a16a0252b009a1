"""The witnesses of an anchor and their proofs, as the database has them: functions of a connection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete, select, update

from penstock.did.among import among
from penstock.did.anchoring.tables import witnesses
from penstock.did.witnesses import BATCH, SYSTEM, Witness
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy.engine import Connection

__all__ = [
    "Proof",
    "add_witnesses",
    "asked_in",
    "forget_asked",
    "mark_asked",
    "put_proof",
    "read_proofs",
    "read_witnesses",
    "remove_silent_origins",
    "remove_system_witnesses",
]


@dataclass(frozen=True, slots=True)
class Proof:
    """A witness's proof, and the contexts that it is explained by."""

    document: Mapping[str, Any]
    contexts: tuple[str, ...] = ()


def add_witnesses(connection: Connection, anchor: str, found: Iterable[Witness]) -> None:
    """Those that may be asked; who is there already stays as it is."""
    rows = [
        {"anchor": anchor, "iri": each.iri, "role": each.role, "has_log": each.has_log, "asked_in": 0}
        for each in found
    ]
    if rows:
        connection.execute(INSERTS[connection.dialect.name](witnesses).on_conflict_do_nothing(), rows)


def read_witnesses(connection: Connection, anchor: str) -> list[Witness]:
    """All of an anchor, in all their roles."""
    table = witnesses.c
    wanted = select(table.iri, table.role, table.has_log, table.asked_in, table.proof)
    found = connection.execute(wanted.where(table.anchor == anchor).order_by(table.iri, table.role))
    return [
        Witness(
            iri=row.iri,
            role=row.role,
            has_log=row.has_log,
            is_selected=row.asked_in > 0,
            has_proof=row.proof is not None,
        )
        for row in found
    ]


def remove_system_witnesses(connection: Connection, anchor: str, staying: Collection[str]) -> None:
    """Those who no longer witness for this domain are not waited for; what they have proved stays."""
    table = witnesses.c
    left = (table.anchor == anchor, table.role == SYSTEM, table.proof.is_(None))
    connection.execute(delete(witnesses).where(*left, ~among(connection, table.iri, staying)))


def remove_silent_origins(connection: Connection, anchor: str) -> list[str]:
    """The batch's origins that were asked and have not proved are not waited for; returns their IRIs."""
    table = witnesses.c
    silent = (table.anchor == anchor, table.role == BATCH, table.proof.is_(None), table.asked_in > 0)
    return list(connection.scalars(delete(witnesses).where(*silent).returning(table.iri)))


# Asking


def mark_asked(connection: Connection, anchor: str, iris: Collection[str], number: int) -> None:
    """They are asked with the offer of that round."""
    these = (witnesses.c.anchor == anchor, among(connection, witnesses.c.iri, iris))
    connection.execute(update(witnesses).where(*these).values(asked_in=number))


def asked_in(connection: Connection, anchor: str, number: int) -> list[str]:
    """Who is asked with the offer of that round."""
    table = witnesses.c
    asked = select(table.iri).distinct().where(table.anchor == anchor, table.asked_in == number)
    return list(connection.scalars(asked.order_by(table.iri)))


def forget_asked(connection: Connection, anchor: str) -> None:
    """Whoever has not answered may be asked again."""
    silent = (witnesses.c.anchor == anchor, witnesses.c.proof.is_(None))
    connection.execute(update(witnesses).where(*silent).values(asked_in=0))


# Proofs


def put_proof(connection: Connection, anchor: str, iri: str, proof: Proof) -> None:
    """A witness has proved, in all its roles; its first proof counts."""
    text = msgspec.json.encode([proof.document, proof.contexts]).decode()
    mine = (witnesses.c.anchor == anchor, witnesses.c.iri == iri, witnesses.c.proof.is_(None))
    connection.execute(update(witnesses).where(*mine).values(proof=text))


def read_proofs(connection: Connection, anchor: str) -> list[Proof]:
    """Each witness's proof, once, in the order of their IRIs."""
    table = witnesses.c
    wanted = select(table.iri, table.proof).where(table.anchor == anchor, table.proof.is_not(None))
    found = {row.iri: row.proof for row in connection.execute(wanted.order_by(table.iri))}
    return [_read(text) for text in found.values()]


def _read(text: str) -> Proof:
    document, contexts = msgspec.json.decode(text)
    return Proof(document, tuple(contexts))
