"""A dead letter as a row of its table, and back. Pure."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging import typed_json
from penstock.messaging.dead_letters.record import DeadLetter

if TYPE_CHECKING:
    from sqlalchemy import RowMapping

__all__ = ["letter_of", "row_of"]

#: Those that are columns; a row that is read whole does not say so.
_FIELDS: Final = tuple(field.name for field in fields(DeadLetter) if field.name != "whole")


def row_of(letter: DeadLetter) -> dict[str, Any]:
    """The columns of a dead letter."""
    row = {name: getattr(letter, name) for name in _FIELDS}
    return row | {"headers": typed_json.dump(letter.headers), "group": letter.group}


def letter_of(row: RowMapping) -> DeadLetter:
    """The dead letter in a row."""
    found = {name: row[name] for name in _FIELDS}
    found |= {"headers": typed_json.load(row["headers"]), "body": bytes(row["body"])}
    return DeadLetter(**found, whole=row.get("whole"))
