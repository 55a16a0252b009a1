"""Housekeeping: forgets what outbox and inbox need no longer, from time to time.

An inbox must remember a message as long as the message may come again. A dead letter may be redriven after
months, so what was handled is kept for the usual time before the oldest dead letter failed, not only before
now: a copy of it may have been applied, and only its second delivery failed.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SQLAlchemyError

from penstock.clock import sleep
from penstock.errors import OutboxError, PenstockError
from penstock.outbox.database import Database
from penstock.outbox.retention import prune

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from sqlalchemy.engine import Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

    from penstock.clock import Clock
    from penstock.messaging import Broker
    from penstock.outbox.inbox import Inbox
    from penstock.outbox.outbox import Outbox

    #: When the oldest dead letter failed first, in seconds since the epoch; None if there is none.
    OldestDeadLetter = Callable[[], float | Awaitable[float | None] | None]

__all__ = ["Housekeeping", "forget_handled"]

_log = logging.getLogger(__name__)

DAY = 86_400.0


async def forget_handled(
    database: Database, inbox: Inbox, *, keep: float, oldest_dead_letter: OldestDeadLetter
) -> int:
    """Forget messages that were handled more than `keep` seconds ago, and can no longer be redriven.

    Returns how many. If the dead letters cannot be asked, nothing is forgotten.

    Args:
        database: Where the inbox is.
        inbox: The inbox.
        keep: Seconds within which a message may be delivered again without having failed.
        oldest_dead_letter: Asked first; called in a thread unless it is a coroutine function.
    """
    now = inbox.clock.now()
    oldest = await _ask(oldest_dead_letter)
    before = min(now, now if oldest is None else oldest) - keep
    return await database.run(lambda connection: inbox.forget(connection, before=before))


async def _ask(oldest_dead_letter: OldestDeadLetter) -> float | None:
    answer: Any = (
        oldest_dead_letter()
        if inspect.iscoroutinefunction(oldest_dead_letter)
        else await asyncio.to_thread(oldest_dead_letter)
    )
    found: float | None = await answer if inspect.isawaitable(answer) else answer
    return found


@dataclass(kw_only=True)
class Housekeeping:
    """Runs as long as the application it is attached to. Give it what it is to look after."""

    engine: Engine | AsyncEngine
    outbox: Outbox | None = None
    #: Seconds that relayed messages are kept for a replay.
    keep_relayed: float = 30 * DAY
    #: A folder for what is taken out of the outbox; None is nowhere.
    archive: Path | None = None
    inbox: Inbox | None = None
    #: Seconds that handled messages are remembered at least.
    keep_handled: float = 7 * DAY
    #: Needed with an inbox; a DeadLetterStore's `oldest_at`.
    oldest_dead_letter: OldestDeadLetter | None = None
    #: Seconds between two rounds.
    every: float = 3600.0

    def __post_init__(self) -> None:
        if self.inbox is not None and self.oldest_dead_letter is None:
            raise OutboxError("an inbox may forget only what no dead letter needs: give oldest_dead_letter")
        self._task: asyncio.Task[None] | None = None

    async def start(self, broker: Broker) -> None:
        """Do a round now, and then one every so often, by the broker's clock."""
        self._task = asyncio.create_task(self._run(broker.clock), name="housekeeping")

    async def stop(self) -> None:
        """Stop, when the slice that is under way is done."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None

    async def _run(self, clock: Clock) -> None:
        while True:
            try:
                await self.round()
            except (SQLAlchemyError, PenstockError, OSError) as exc:
                because = getattr(exc, "orig", None) or exc
                _log.warning("housekeeping is put off until the next round: %s", because)
            except Exception:  # noqa: BLE001  nobody would see that nothing is forgotten any more
                _log.exception("housekeeping failed, and is put off until the next round")
            await sleep(clock, self.every)

    async def round(self) -> tuple[int, int]:
        """Forget once; returns how many rows of the outbox, and of the inbox."""
        database = Database(self.engine)
        relayed = handled = 0
        try:
            if self.outbox is not None:
                relayed = await prune(database, self.outbox, keep=self.keep_relayed, archive=self.archive)
            if self.inbox is not None and self.oldest_dead_letter is not None:
                handled = await forget_handled(
                    database,
                    self.inbox,
                    keep=self.keep_handled,
                    oldest_dead_letter=self.oldest_dead_letter,
                )
        finally:
            database.close()
        return relayed, handled
