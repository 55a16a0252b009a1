"""Words that a domain remembers, by name; the witness policy is one of them. Functions of a connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from penstock.did.federation.tables import words
from penstock.did.witnesses import attainable_policy
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["put_witness_policy", "put_word", "read_word", "witness_policy"]

WITNESS_POLICY: Final = "witness-policy"


def read_word(connection: Connection, name: str) -> str | None:
    """The word of that name; None if there is none."""
    return connection.scalar(select(words.c.value).where(words.c.name == name))


def put_word(connection: Connection, name: str, value: str) -> None:
    """Remember it, in place of what was remembered by that name."""
    insert = INSERTS[connection.dialect.name](words).values(name=name, value=value)
    connection.execute(insert.on_conflict_do_update(index_elements=[words.c.name], set_={"value": value}))


def witness_policy(connection: Connection) -> str:
    """The witness policy as it was written; empty if nobody has."""
    return read_word(connection, WITNESS_POLICY) or ""


def put_witness_policy(connection: Connection, policy: str) -> None:
    """Have another witness policy from now on.

    Raises:
        BadWitnessPolicy: it is none, or can never be met; the one before stays.
    """
    attainable_policy(policy)
    put_word(connection, WITNESS_POLICY, policy)
