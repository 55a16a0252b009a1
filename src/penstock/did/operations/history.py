"""The operations of DIDs, as they were anchored. Functions of a database connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
from sqlalchemy import func, select

from penstock.did.among import among
from penstock.did.operations.tables import did_operations
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

__all__ = ["first_of_each", "operations_between", "operations_of", "operations_of_all"]

#: What an Anchored is made of, in its own order.
_COLUMNS: Final = [did_operations.c[name] for name in Anchored.__struct_fields__]

_decode = msgspec.json.Decoder().decode


def operations_of(connection: Connection, suffix: str) -> list[Anchored]:
    """All operations of a DID that are known, in no order."""
    found = connection.execute(select(*_COLUMNS).where(did_operations.c.suffix == suffix))
    return [_anchored(row) for row in found]


def operations_of_all(connection: Connection, suffixes: Sequence[str]) -> dict[str, list[Anchored]]:
    """Those of many DIDs, each of which is there, if only with nothing."""
    of_all: dict[str, list[Anchored]] = {suffix: [] for suffix in suffixes}
    wanted = select(*_COLUMNS).where(among(connection, did_operations.c.suffix, suffixes))
    for row in connection.execute(wanted):
        operation = _anchored(row)
        of_all[operation.suffix].append(operation)
    return of_all


def first_of_each(connection: Connection, step: int) -> list[str]:
    """The suffixes at which the operations of all DIDs, in the database's own order, can be cut into pieces.

    Args:
        step: About so many operations for each piece; those of a DID stay together.
    """
    table = did_operations.c
    number = func.row_number().over(order_by=table.suffix).label("number")
    numbered = select(table.suffix, number).subquery()
    cuts = select(numbered.c.suffix).where(numbered.c.number % step == 1 % step)
    return list(dict.fromkeys(connection.scalars(cuts.order_by(numbered.c.number))))


def operations_between(connection: Connection, first: str, end: str | None) -> list[Anchored]:
    """Those of all DIDs from a suffix on up to another, which is not among them; each DID's together."""
    suffix = did_operations.c.suffix
    wanted = select(*_COLUMNS).where(suffix >= first).order_by(suffix)
    found = connection.execute(wanted if end is None else wanted.where(suffix < end))
    return [_anchored(row) for row in found]


def _anchored(row: Any) -> Anchored:
    values = dict(zip(Anchored.__struct_fields__, row, strict=True))
    values["equivalents"] = tuple(_decode(values["equivalents"]))
    values["anchor_origin"] = _decode(values["anchor_origin"])
    return Anchored(**values)
