"""Lists that an operator changes while the domain runs, by name. Functions of a connection.

A list is as the parameters have it until somebody changes it; from then on it is what was made of it, and the
parameters are no longer looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from penstock.did.federation.acceptance import Acceptance
from penstock.did.federation.tables import words
from penstock.did.federation.words import put_word, read_word
from penstock.messaging.engine import INSERTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy.engine import Connection

__all__ = ["ALLOWED_ORIGINS", "FOLLOW_LIST", "WITNESS_LIST", "acceptance_now", "change_list", "read_list"]

# As Orb calls them.
FOLLOW_LIST: Final = "follow"
WITNESS_LIST: Final = "invite-witness"
ALLOWED_ORIGINS: Final = "allowed-origins"

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(list[str]).decode


def read_list(connection: Connection, name: str, first: Collection[str]) -> list[str]:
    """A list as it is now.

    Args:
        name: Its name.
        first: What the parameters say of it.
    """
    found = read_word(connection, _word(name))
    return sorted(first) if found is None else _decode(found)


def change_list(
    connection: Connection, name: str, first: Collection[str], *, add: Iterable[str], remove: Iterable[str]
) -> None:
    """Add to a list and take away from it; what is there is not added again, what is not there does no harm.

    Args:
        name: Its name.
        first: What the parameters say of it.
        add: What is to be on it.
        remove: What is not, even if it is to be added as well.
    """
    kept = {"name": _word(name), "value": _encode(sorted(first)).decode()}
    insert = INSERTS[connection.dialect.name](words).values(kept)
    # Whether it is there or not: nobody else changes it until the transaction ends.
    connection.execute(
        insert.on_conflict_do_update(index_elements=[words.c.name], set_={"value": words.c.value})
    )
    listed = dict.fromkeys([*read_list(connection, name, first), *add])
    for each in remove:
        listed.pop(each, None)
    put_word(connection, kept["name"], _encode(list(listed)).decode())


def acceptance_now(connection: Connection, first: Acceptance) -> Acceptance:
    """Who is accepted by the lists as they are now; `first` is what the parameters say."""
    now = {
        name: None if listed is None else frozenset(read_list(connection, name, listed))
        for name, listed in {FOLLOW_LIST: first.followers, WITNESS_LIST: first.witnessing}.items()
    }
    return Acceptance(followers=now[FOLLOW_LIST], witnessing=now[WITNESS_LIST])


def _word(name: str) -> str:
    return f"list {name}"
