"""The operations of DIDs, as they were anchored. Functions of a database connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import select

from penstock.did.layout import INSERTS
from penstock.did.operations.tables import did_operations
from penstock.errors import DidError
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

__all__ = ["add_operations", "operations_of"]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def add_operations(connection: Connection, operations: Iterable[Anchored]) -> None:
    """Keep anchored operations; those that are there already stay as they are.

    Raises:
        DidError: one of them is not anchored.
    """
    rows = [_row(operation) for operation in operations]
    if rows:
        insert = INSERTS[connection.dialect.name](did_operations)
        connection.execute(insert.on_conflict_do_nothing(), rows)


def operations_of(connection: Connection, suffix: str) -> list[Anchored]:
    """All operations of a DID that are known, in no order."""
    found = connection.execute(select(did_operations).where(did_operations.c.suffix == suffix))
    return [_anchored(dict(row)) for row in found.mappings()]


def _row(operation: Anchored) -> dict[str, Any]:
    if not operation.published:
        raise DidError(f"an operation of {operation.suffix} is in no anchored batch, and so not history")
    row = msgspec.structs.asdict(operation)
    row["equivalents"] = _encode(operation.equivalents).decode()
    row["anchor_origin"] = _encode(operation.anchor_origin).decode()
    return row


def _anchored(row: dict[str, Any]) -> Anchored:
    row["equivalents"] = tuple(_decode(row["equivalents"]))
    row["anchor_origin"] = _decode(row["anchor_origin"])
    return Anchored(**row)
