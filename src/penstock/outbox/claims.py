"""Claims: which rows a relay may publish now, and what becomes of them.

Whoever publishes must be alone with its rows. PostgreSQL has row locks, which end with the transaction, and
so at once when a relay dies: relays that take turns lock the turn and settle beside it, batch by batch; those
that share the rows take, publish and settle them in one transaction. SQLite has one lock for the whole file,
which no relay may hold while it waits for a broker: there the relay that works has a lease on the outbox,
prolongs it with every batch, and the others leave the rows to it meanwhile.

`relayed` is looked at, not a position in the sequence: a row whose transaction commits late has a lower
sequence than others that are gone already, and must not be skipped.
"""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol
from uuid import uuid4

from sqlalchemy import bindparam, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from penstock.outbox.statements import NextRows, Settling

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from typing import Any

    from sqlalchemy.engine import Connection

    from penstock.outbox.database import Database, Steps
    from penstock.outbox.envelope import Row
    from penstock.outbox.outbox import Outbox
    from penstock.outbox.statements import Settlement

__all__ = ["Claim", "Claims", "claims_for"]

_log = logging.getLogger(__name__)

#: The one row of the turn's table.
_TURN: Final = 1


class Claim(Protocol):
    """The right to publish, until the block ends. One call at a time."""

    async def more(self, limit: int, after: Row | None = None) -> Sequence[Row]:
        """The next rows, in order; none if there are none, or if it is another relay's turn.

        Args:
            limit: At most so many.
            after: The last row that is under way: it and those before it still wait, and are not meant.
        """
        ...

    async def settle(self, settlement: Settlement) -> None:
        """Write down what became of rows."""
        ...


class Claims(Protocol):
    """How a relay comes by its rows."""

    def take(self) -> AbstractAsyncContextManager[Claim]:
        """The right to publish, for some batches; what was settled holds when the block ends, or sooner."""
        ...

    async def release(self) -> None:
        """Let another relay have its turn."""
        ...


def claims_for(database: Database, outbox: Outbox, *, in_order: bool, lease: float) -> Claims:
    """The claims that this database can have.

    Args:
        database: Where the outbox is.
        outbox: The outbox.
        in_order: Whether relays take turns; else they share the rows between them. SQLite's take turns.
        lease: Seconds that a relay on SQLite may be silent before another takes its place.
    """
    if database.is_postgresql:
        return LockedClaims(database, outbox, in_order=in_order)
    return LeasedClaims(database, outbox, lease=lease)


@dataclass(frozen=True, slots=True)
class _Claim:
    """Runs each call where its kind of claim wants it."""

    _run: Callable[..., Awaitable[Any]]
    _settle: Callable[..., Awaitable[Any]]
    _take: Callable[[Connection, int, Row | None], list[Row]]
    _settling: Settling

    async def more(self, limit: int, after: Row | None = None) -> Sequence[Row]:
        rows: Sequence[Row] = await self._run(self._take, limit, after)
        return rows

    async def settle(self, settlement: Settlement) -> None:
        await self._settle(self._settling.settle, settlement)


class LockedClaims:
    """Claims by row locks (PostgreSQL)."""

    def __init__(self, database: Database, outbox: Outbox, *, in_order: bool) -> None:
        self._database = database
        self._settling = Settling(outbox, by_array=True)
        # Whoever has the turn is alone with all rows, and spares them a lock each. What it settles is
        # committed beside the transaction that has the turn, while the next batch is under way.
        self._in_order = in_order
        self._rows = NextRows(outbox, has_locks=not in_order)
        turn = select(outbox.turn.c.id).where(outbox.turn.c.id == _TURN)
        # Relays that share the rows share the turn, too, so that none takes turns beside them.
        self._turn = turn.with_for_update(skip_locked=True, read=not in_order)
        self._first_turn = (
            postgresql.insert(outbox.turn).values(id=_TURN, holder="", until=0.0).on_conflict_do_nothing()
        )
        #: Whether the turn's row was seen the last time; if not it is another's, or there never was one.
        self._is_there = False

    @asynccontextmanager
    async def take(self) -> AsyncIterator[Claim]:
        if not self._is_there:
            # Apart, and committed at once: another relay's insert would wait for the end of this batch.
            await self._database.run(lambda connection: connection.execute(self._first_turn))
        async with self._database.transaction() as steps:
            settle = partial(self._beside, steps) if self._in_order else steps.run
            yield _Claim(steps.run, settle, self._take, self._settling)

    async def _beside(self, steps: Steps, work: Callable[..., Any], settlement: Settlement) -> None:
        try:
            await self._database.run(work, settlement)
        except NoConnectionFree as exc:
            # The application has all other connections. What is not settled would be published once more.
            _log.warning("the outbox is settled late: %s", exc)
            await steps.run(work, settlement)

    def _take(self, connection: Connection, limit: int, after: Row | None) -> list[Row]:
        # The turn is the transaction's: after the first rows it is known to be ours.
        if after is None and not self._takes_turn(connection):
            return []
        return self._rows.read(connection, limit, after)

    def _takes_turn(self, connection: Connection) -> bool:
        self._is_there = connection.execute(self._turn).first() is not None
        return self._is_there

    async def release(self) -> None:
        """The turn ended with the transaction."""


class LeasedClaims:
    """Claims by a lease on the whole outbox (SQLite)."""

    def __init__(self, database: Database, outbox: Outbox, *, lease: float) -> None:
        self._database = database
        self._outbox = outbox
        self._lease = lease
        self._settling = Settling(outbox, by_array=False)
        self._rows = NextRows(outbox)
        self._me = uuid4().hex
        turn = outbox.turn.c
        self._first_turn = (
            sqlite.insert(outbox.turn).values(id=_TURN, holder="", until=0.0).on_conflict_do_nothing()
        )
        self._prolong = (
            update(outbox.turn)
            .where(turn.id == _TURN, or_(turn.holder == self._me, turn.until < bindparam("now")))
            .values(holder=self._me, until=bindparam("then"))
        )
        self._release = update(outbox.turn).where(turn.holder == self._me).values(until=0.0)

    @asynccontextmanager
    async def take(self) -> AsyncIterator[Claim]:
        yield _Claim(self._database.run, self._database.run, self._take, self._settling)

    def _take(self, connection: Connection, limit: int, after: Row | None) -> list[Row]:
        # Looked at before anything is written: an idle relay leaves the file alone.
        if not self._rows.read(connection, 1, after) or not self._takes_turn(connection):
            return []
        # Read again: before the turn was ours, another relay may have published them.
        return self._rows.read(connection, limit, after)

    def _takes_turn(self, connection: Connection) -> bool:
        now = self._outbox.clock.now()
        connection.execute(self._first_turn)
        done = connection.execute(self._prolong, {"now": now, "then": now + self._lease})
        return done.rowcount == 1

    async def release(self) -> None:
        await self._database.run(lambda connection: connection.execute(self._release))
