"""The outbox: messages that are committed together with what they tell of.

`add` writes a row in the transaction of whoever calls it: the change and its message are both there
afterwards, or neither. Somebody else publishes it (relay.py). Nothing here knows a broker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, overload

from sqlalchemy import MetaData, insert
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession, async_scoped_session

from penstock.clock import SystemClock
from penstock.errors import OutboxError
from penstock.messaging import Destination, Message
from penstock.messaging.tracing import marked
from penstock.outbox.envelope import row_of
from penstock.outbox.table import WAITING, outbox_table, turn_table
from penstock.outbox.waking import Wakes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from sqlalchemy.orm import Session, scoped_session

    from penstock.clock import Clock
    from penstock.messaging.application import Application

    #: Turns an application's event into a message, and tells where it goes.
    Prepare = Callable[[Any], tuple[Message, Destination]]
    #: What a transaction is open on.
    Sync = Connection | Session | scoped_session[Any]
    Async = AsyncConnection | AsyncSession | async_scoped_session[Any]

__all__ = ["Outbox"]

_ASYNC: Final = (AsyncConnection, AsyncSession, async_scoped_session)


class Outbox:
    """A table of messages in the application's database.

    Make the table with `outbox.metadata.create_all(engine)`, or pass the metadata of the application's own
    tables, and its migrations see to it.
    """

    def __init__(
        self,
        table: str = "penstock_outbox",
        *,
        metadata: MetaData | None = None,
        prepare: Prepare | None = None,
        clock: Clock | None = None,
    ) -> None:
        """An outbox.

        Args:
            table: Its name; the name of another table with it begins so.
            metadata: Where the tables are declared.
            prepare: Needed to add events, and not messages only; `Outbox.of` has an application's.
            clock: Tells when a message was added.
        """
        self.metadata = MetaData() if metadata is None else metadata
        self.table = outbox_table(table, self.metadata)
        self.turn = turn_table(table, self.metadata)
        self.clock = SystemClock() if clock is None else clock
        self.wakes = Wakes()
        self._prepare = prepare
        # Inline: nobody asks for the new row's sequence, so that the database need not tell.
        self._insert = insert(self.table).inline()

    @overload
    def add(
        self, on: Sync, what: Any, *, to: Destination | None = None, priority: int = 0, relayed: int = 0
    ) -> Message: ...
    @overload
    def add(
        self, on: Async, what: Any, *, to: Destination | None = None, priority: int = 0, relayed: int = 0
    ) -> Awaitable[Message]: ...
    def add(
        self,
        on: Sync | Async,
        what: Any,
        *,
        to: Destination | None = None,
        priority: int = 0,
        relayed: int = WAITING,
    ) -> Message | Awaitable[Message]:
        """Add a message in the transaction that is open there; await it on an asynchronous one.

        Args:
            on: A session or connection, of either kind.
            what: A Message, or an event that `prepare` takes.
            to: Where it goes; an event knows that itself.
            priority: Higher goes first, past everything that waits with a lower one.
            relayed: 1 for what is published already, and only to be kept (database_first.py).

        Raises:
            OutboxError: it cannot be kept as it is, or has nowhere to go.
        """
        message, to = self.prepared(what, to)
        row = row_of(message, to, priority=priority, now=self.clock.now(), relayed=relayed)
        if isinstance(on, _ASYNC):
            return self._add_later(on, message, row)
        self._execute(on, row)
        return message

    @overload
    def add_many(
        self, on: Sync, messages: Iterable[tuple[Message, Destination]], *, priority: int = 0
    ) -> None: ...
    @overload
    def add_many(
        self, on: Async, messages: Iterable[tuple[Message, Destination]], *, priority: int = 0
    ) -> Awaitable[None]: ...
    def add_many(
        self, on: Sync | Async, messages: Iterable[tuple[Message, Destination]], *, priority: int = 0
    ) -> Awaitable[None] | None:
        """Add many messages with one statement, in their order; await it on an asynchronous transaction."""
        now = self.clock.now()
        rows = [row_of(marked(message, to), to, priority=priority, now=now) for message, to in messages]
        if isinstance(on, _ASYNC):
            return self._add_later(on, None, rows)
        self._execute(on, rows)
        return None

    @classmethod
    def of(cls, application: Application, **settings: Any) -> Outbox:
        """An outbox for an application's events; they go where its `publish` would send them."""

        def prepare(event: Any) -> tuple[Message, Destination]:
            message = application.message(event)
            return message, Destination(application.name, message.type)

        return cls(prepare=prepare, **settings)

    def prepared(self, what: Any, to: Destination | None) -> tuple[Message, Destination]:
        """The message, and where it goes.

        Raises:
            OutboxError: it is neither a message with a destination nor an event that `prepare` takes.
        """
        message = what
        if not isinstance(what, Message):
            if self._prepare is None:
                raise OutboxError(f"{type(what).__name__} is no Message, and this outbox prepares no events")
            message, planned = self._prepare(what)
            to = planned if to is None else to
        if to is None:
            raise OutboxError(f"message {message.id} has no destination: say to=Destination(exchange, key)")
        return marked(message, to), to

    async def _add_later(self, on: Async, returned: Any, rows: Any) -> Any:
        session = on() if isinstance(on, async_scoped_session) else on
        await session.run_sync(self._execute, rows)
        return returned

    def _execute(self, on: Any, rows: dict[str, Any] | list[dict[str, Any]]) -> None:
        if not rows:
            return
        # A session with several databases chooses by the table, as it does for the application's own.
        connection = (
            on if isinstance(on, Connection) else on.connection(bind_arguments={"clause": self.table})
        )
        connection.execute(self._insert, rows)
        self.wakes.note(connection)

    def __repr__(self) -> str:
        return f"<Outbox {self.table.name}>"
