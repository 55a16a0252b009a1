"""The inbox: which messages a consumer has handled, written down in the handler's own transaction.

A broker delivers at least once. The row that says "handled" is committed together with the handler's changes
and the messages that it adds to the outbox, or not at all: so the message is applied exactly once, however
often it comes. Two deliveries at the same time wait for each other at the row's key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from sqlalchemy import Column, Double, Index, MetaData, String, Table, delete
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from penstock.clock import SystemClock
from penstock.errors import InvalidMessage
from penstock.messaging.engine import INSERTS
from penstock.messaging.texts import clean

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from sqlalchemy.orm import Session

    from penstock.clock import Clock

__all__ = ["Inbox"]


class Inbox:
    """A table of handled messages in the application's database."""

    def __init__(
        self,
        table: str = "penstock_inbox",
        *,
        metadata: MetaData | None = None,
        clock: Clock | None = None,
    ) -> None:
        """An inbox.

        Args:
            table: Its name.
            metadata: Where the table is declared; the application's own, and its migrations see to it.
            clock: Tells when a message was handled.
        """
        self.metadata = MetaData() if metadata is None else metadata
        self.clock = SystemClock() if clock is None else clock
        self.table = Table(
            table,
            self.metadata,
            Column("consumer", String, primary_key=True),
            Column("message_id", String, primary_key=True),
            Column("handled_at", Double, nullable=False),
        )
        Index(f"{table}_by_time", self.table.c.handled_at)
        self._inserts = {
            name: insert(self.table).on_conflict_do_nothing().returning(self.table.c.message_id)
            for name, insert in INSERTS.items()
        }

    @overload
    def is_new(self, on: Connection | Session, message_id: str, consumer: str) -> bool: ...
    @overload
    def is_new(
        self, on: AsyncConnection | AsyncSession, message_id: str, consumer: str
    ) -> Awaitable[bool]: ...
    def is_new(
        self,
        on: Connection | Session | AsyncConnection | AsyncSession,
        message_id: str,
        consumer: str,
    ) -> bool | Awaitable[bool]:
        """Whether this consumer has not handled the message; from the commit on it has.

        Call it first in the handler's transaction, and await it on an asynchronous one. If another delivery
        of the message is being handled at this moment, the answer waits for the end of it.

        Raises:
            InvalidMessage: it has no id to know it again by; no retry will change that.
        """
        if not message_id:
            raise InvalidMessage("a message without an id cannot be known again")
        # Another program's id may be of what no database takes as text.
        row = {"consumer": consumer, "message_id": clean(message_id), "handled_at": self.clock.now()}
        if isinstance(on, AsyncConnection | AsyncSession):
            return on.run_sync(self._insert, row)
        return self._insert(on, row)

    def _insert(self, on: Connection | Session, row: dict[str, Any]) -> bool:
        connection = (
            on if isinstance(on, Connection) else on.connection(bind_arguments={"clause": self.table})
        )
        return connection.execute(self._inserts[connection.dialect.name], row).first() is not None

    def forget(self, connection: Connection, *, before: float) -> int:
        """Delete what was handled before an instant; returns how many rows (housekeeping.py knows when)."""
        return connection.execute(delete(self.table).where(self.table.c.handled_at < before)).rowcount

    def __repr__(self) -> str:
        return f"<Inbox {self.table.name}>"
