"""What an operator has told the domain while it runs: the witness policy. Functions of a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from penstock.did.federation.tables import words
from penstock.did.witnesses import attainable_policy
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["put_witness_policy", "witness_policy"]

WITNESS_POLICY: Final = "witness-policy"


def witness_policy(connection: Connection) -> str:
    """The witness policy as it was written; empty if nobody has."""
    return connection.scalar(select(words.c.value).where(words.c.name == WITNESS_POLICY)) or ""


def put_witness_policy(connection: Connection, policy: str) -> None:
    """Have another witness policy from now on.

    Raises:
        BadWitnessPolicy: it is none, or can never be met; the one before stays.
    """
    attainable_policy(policy)
    insert = INSERTS[connection.dialect.name](words).values(name=WITNESS_POLICY, value=policy)
    connection.execute(insert.on_conflict_do_update(index_elements=[words.c.name], set_={"value": policy}))
