"""A shared table: rows that other services keep copies of, by create, update and delete messages.

Knows what a row is called, how its state is fingerprinted and which message tells of a change; when to tell
is in telling.py.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from penstock.errors import OutboxError
from penstock.messaging import Destination, Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sqlalchemy import Column, Table

__all__ = ["Change", "SharedTable"]

# The order of a dictionary must not matter to a fingerprint; what JSON has no word for is told as text.
_encode = msgspec.json.Encoder(order="deterministic", enc_hook=str).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What consumers are to be told of one row."""

    kind: Literal["created", "updated", "deleted"]
    table: str
    #: The primary key, by column.
    key: Mapping[str, Any]
    #: The row as it is now, by column; empty when it is gone.
    row: Mapping[str, Any] = field(default_factory=dict)


class SharedTable:
    """A table of the application's that others have copies of."""

    def __init__(
        self,
        table: Table,
        *,
        exchange: str = "",
        columns: Sequence[str] | None = None,
        describe: Callable[[Change], Any] | None = None,
    ) -> None:
        """A shared table.

        Args:
            table: With a primary key.
            exchange: Where plain messages of type `<table>.created`, `.updated` and `.deleted` go; their body
                is the row, or the key of one that is gone, as JSON.
            columns: What consumers are told, and what makes a change; all columns if None.
            describe: Makes an event of the application's own of each change, in place of plain messages.

        Raises:
            OutboxError: the table has no primary key, or no such column.
        """
        self.name = table.name
        self.table = table
        self.key: tuple[Column[Any], ...] = tuple(table.primary_key.columns)
        if not self.key:
            raise OutboxError(f"{table.name} has no primary key: its rows cannot be told apart")
        names = [column.name for column in table.columns] if columns is None else list(columns)
        if unknown := [name for name in names if name not in table.c]:
            raise OutboxError(f"{table.name} has no column {', '.join(unknown)}")
        #: The key first: a row is read as its key and its content.
        self.content: tuple[Column[Any], ...] = tuple(table.c[name] for name in names)
        self._exchange = exchange
        self._describe = describe

    @property
    def columns(self) -> tuple[Column[Any], ...]:
        """What is read of a row."""
        return (*self.key, *self.content)

    def change(
        self, kind: Literal["created", "updated", "deleted"], key: Sequence[Any], content: Sequence[Any] = ()
    ) -> Change:
        """The change of a row, by its values."""
        names = [column.name for column in self.key]
        row = dict(zip((column.name for column in self.content), content, strict=True)) if content else {}
        return Change(kind=kind, table=self.name, key=dict(zip(names, key, strict=True)), row=row)

    def message(self, change: Change) -> tuple[Any, Destination | None]:
        """What tells of a change: an event of the application's, or a message and where it goes."""
        if self._describe is not None:
            return self._describe(change), None
        name = f"{self.name}.{change.kind}"
        told = change.key if change.kind == "deleted" else {**change.key, **change.row}
        return Message(body=_encode(told), type=name), Destination(self._exchange, name)

    # Keys and fingerprints, as they are kept

    def packed(self, key: Sequence[Any]) -> str:
        """A key as text."""
        return _encode(list(key)).decode()

    def unpacked(self, text: str) -> tuple[Any, ...]:
        """The key that a text is of, in the types of its columns."""
        values = msgspec.json.decode(text)
        return tuple(
            msgspec.convert(value, column.type.python_type, strict=False)
            for value, column in zip(values, self.key, strict=True)
        )

    @staticmethod
    def fingerprint(content: Sequence[Any]) -> bytes:
        """The state of a row in a few bytes: the same state has the same, another state has another."""
        return hashlib.sha256(_encode(list(content))).digest()
