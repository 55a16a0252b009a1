"""The operations of DIDs, as they were anchored. Functions of a database connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import func, select

from penstock.did.among import among
from penstock.did.operations.adding import Batch
from penstock.did.operations.did_key import did_key
from penstock.did.operations.tables import did_batches, did_operations
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection

__all__ = [
    "first_of_each",
    "keyed_among",
    "operations_between",
    "operations_in",
    "operations_of",
    "operations_of_all",
]

#: What an Anchored is made of, in its own order.
_COLUMNS: Final = [
    (did_batches if name in Batch._fields else did_operations).c[name] for name in Anchored.__struct_fields__
]
_WHOLE: Final = select(*_COLUMNS).join_from(
    did_operations, did_batches, did_batches.c.id == did_operations.c.batch
)

_decode = msgspec.json.Decoder().decode


def operations_of(connection: Connection, suffix: str) -> list[Anchored]:
    """All operations of a DID that are known, in no order."""
    table = did_operations.c
    mine = _WHOLE.where(table.did_key == did_key(suffix), table.suffix == suffix)
    return [_anchored(row) for row in connection.execute(mine)]


def operations_of_all(connection: Connection, suffixes: Sequence[str]) -> dict[str, list[Anchored]]:
    """Those of many DIDs, each of which is there, if only with nothing."""
    of_all: dict[str, list[Anchored]] = {suffix: [] for suffix in suffixes}
    for row in connection.execute(_WHOLE.where(keyed_among(connection, suffixes))):
        if row.suffix in of_all:
            of_all[row.suffix].append(_anchored(row))
    return of_all


def operations_in(connection: Connection, reference: str, suffixes: Iterable[str]) -> list[Anchored]:
    """Those of many DIDs that are in one anchor; now and then one of another DID."""
    in_it = _WHOLE.where(keyed_among(connection, suffixes), did_batches.c.reference == reference)
    return [_anchored(row) for row in connection.execute(in_it)]


def keyed_among(connection: Connection, suffixes: Iterable[str]) -> ColumnElement[bool]:
    """Whether an operation has the key of one of these DIDs; now and then that of another has the same."""
    return among(connection, did_operations.c.did_key, map(did_key, suffixes))


def first_of_each(connection: Connection, step: int) -> list[int]:
    """The keys at which the operations of all DIDs can be cut into pieces.

    Args:
        step: About so many operations for each piece; those of a DID stay together.
    """
    key = did_operations.c.did_key
    number = func.row_number().over(order_by=key).label("number")
    numbered = select(key, number).subquery()
    cuts = select(numbered.c.did_key).where(numbered.c.number % step == 1 % step)
    return list(dict.fromkeys(connection.scalars(cuts.order_by(numbered.c.number))))


def operations_between(connection: Connection, first: int, end: int | None) -> list[Anchored]:
    """Those of all DIDs from a key on up to another, which is not among them; each DID's together."""
    table = did_operations.c
    wanted = _WHOLE.where(table.did_key >= first).order_by(table.did_key, table.suffix)
    found = connection.execute(wanted if end is None else wanted.where(table.did_key < end))
    return [_anchored(row) for row in found]


def _anchored(row: Any) -> Anchored:
    values = dict(zip(Anchored.__struct_fields__, row, strict=True))
    values["equivalents"] = tuple(_decode(values["equivalents"]))
    values["anchor_origin"] = _decode(values["anchor_origin"])
    return Anchored(**values)
