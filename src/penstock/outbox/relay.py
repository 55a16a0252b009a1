"""The relay: publishes what waits in the outbox, in order, and writes down that it did.

A message is marked after the broker has confirmed it, so that it is published at least once: a relay that
dies between the two leaves it for the next, and consumers know it again by its id (inbox.py).

The order. Of two messages with the same priority, the one that was committed before the other was added
goes first, and so do the messages of one transaction in theirs; a higher priority goes before all that wait,
but for the few batches that a relay has in hand already. It holds across several relays if they take turns
(`in_order`). A batch leaves in one write: when the broker refuses a message in its midst, the rest of that
batch has left already, and nothing else leaves before the refused one has; with `batch=1` not even the
rest. When the connection is lost, what was not confirmed is published again, in order.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from penstock.errors import ClientError, OutboxError
from penstock.outbox.claims import claims_for
from penstock.outbox.database import Database
from penstock.outbox.heralding import RelayHerald
from penstock.outbox.judging import Judge
from penstock.outbox.relay_settings import RelaySettings
from penstock.outbox.waking import Bell

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine, Sequence

    from sqlalchemy.engine import Engine
    from sqlalchemy.ext.asyncio import AsyncEngine

    from penstock.clock import Clock
    from penstock.messaging import Alerts, Broker, Destination, Message
    from penstock.outbox.claims import Claim
    from penstock.outbox.envelope import Row
    from penstock.outbox.outbox import Outbox

__all__ = ["Relay", "Relayed"]

T = TypeVar("T")

_log = logging.getLogger(__name__)

#: Messages in the first batch: nobody knows yet how large they are.
FIRST_BATCH: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Relayed:
    """What became of some batches."""

    count: int
    #: Why the first that failed did.
    error: ClientError | None = None
    #: Whether the last batch was as large as it could be, so that more may wait.
    is_full: bool = False


@asynccontextmanager
async def _under_way(publish: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Begins to publish; nothing of it is left behind if the block fails."""
    publishing = asyncio.create_task(publish)
    try:
        yield publishing
    finally:
        if not publishing.done():
            publishing.cancel()
            await asyncio.wait([publishing])


class Relay:
    """Publishes an outbox, in the application (`async with relay`) or apart (`penstock outbox relay`)."""

    def __init__(
        self,
        outbox: Outbox,
        engine: Engine | AsyncEngine,
        broker: Broker | None = None,
        *,
        settings: RelaySettings | None = None,
        alerts: Alerts | None = None,
    ) -> None:
        """A relay.

        Args:
            outbox: What it publishes.
            engine: The database of the outbox.
            broker: Where to; its clock is the one that the relay waits by. An application that the relay is
                attached to gives it its own.
            settings: How.
            alerts: Who learns that messages cannot be published; everything is logged as well.
        """
        self.settings = settings or RelaySettings()
        self._outbox = outbox
        self._maybe_broker = broker
        self._judge = Judge(outbox.table.name, self.settings, alerts)
        self._database = Database(engine)
        self._claims = claims_for(
            self._database, outbox, in_order=self.settings.in_order, lease=self.settings.lease
        )
        #: Messages in the next batch: after a failure one, and more with every success.
        self._batch = min(self.settings.batch, FIRST_BATCH)
        self._failures = 0
        self._task: asyncio.Task[None] | None = None
        self._bell: Bell | None = None
        self._is_stopping = False
        self._is_at_work = False
        self._herald: RelayHerald | None = None
        self._heralding: asyncio.Task[None] | None = None

    # Running

    @property
    def _broker(self) -> Broker:
        if self._maybe_broker is None:
            raise OutboxError("a relay needs a broker, or an application that it is attached to")
        return self._maybe_broker

    @property
    def _clock(self) -> Clock:
        return self._broker.clock

    @property
    def is_busy(self) -> bool:
        """Whether it publishes, or is about to look for something to publish."""
        return self._is_at_work or (self._bell is not None and self._bell.is_ringing)

    async def start(self, broker: Broker | None = None) -> None:
        """Publish from now on, until `stop`."""
        self._maybe_broker = broker or self._maybe_broker
        self._bell = Bell()
        self._outbox.wakes.hang(self._bell)
        self._is_stopping = False
        self._task = asyncio.create_task(self._run(self._bell), name=f"relay of {self._outbox.table.name}")
        self._herald = RelayHerald(self._broker, self._outbox.table.name)
        # Beside it: a relay works while its broker is away, and waits for nobody who looks on.
        self._heralding = asyncio.create_task(self._herald.start())

    async def stop(self) -> None:
        """Finish the batch that is under way, and stop."""
        self._is_stopping = True
        if self._task is not None and self._bell is not None:
            self._bell.ring()
            try:
                await self._task
            finally:
                self._outbox.wakes.take_down(self._bell)
                self._task = self._bell = None
        self._is_stopping = False
        await self._fall_silent()
        await self._leave()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _run(self, bell: Bell) -> None:
        while not self._is_stopping:
            bell.silence()
            self._is_at_work = True
            pause = await self._turn()
            self._is_at_work = False
            await self._rest(bell, pause)

    async def _turn(self) -> float:
        """One batch; returns the seconds to rest before the next."""
        try:
            relayed = await self.relay_once()
        except SQLAlchemyError as exc:
            relayed = Relayed(count=0, error=self._judge.lost_the_database(exc, self._failures + 1))
        except Exception as exc:  # noqa: BLE001  whatever it is, nobody would see that the relay is gone
            relayed = Relayed(count=0, error=self._judge.broke_down(exc, self._failures + 1))
        if self._herald is not None:
            self._herald.note(relayed.count, relayed.error)
        if relayed.error is None:
            self._failures = 0
            return 0.0 if relayed.is_full else self.settings.poll_interval
        self._failures += 1
        return self.settings.backoff(self._failures)

    async def _rest(self, bell: Bell, seconds: float) -> None:
        until = self._clock.now() + seconds
        while (left := until - self._clock.now()) > 0 and not self._is_stopping:
            await bell.wait(self._clock, left)
            # A new message is no reason to bother a broker that has just failed.
            if not self._failures:
                return
            bell.silence()

    async def _fall_silent(self) -> None:
        if self._herald is not None and self._heralding is not None:
            self._heralding.cancel()
            await asyncio.gather(self._heralding, return_exceptions=True)
            await self._herald.stop()
            self._herald = self._heralding = None

    async def _leave(self) -> None:
        try:
            await self._claims.release()
        except SQLAlchemyError as exc:
            # The lease runs out by itself.
            _log.warning("the turn at %s could not be given back: %s", self._outbox.table.name, exc)
        self._database.close()

    # One batch

    async def drain(self) -> int:
        """Publish all that waits now, and return how much that was.

        Raises:
            PublishError: something could not be published; it waits, with all that comes after it.
        """
        count = 0
        while True:
            relayed = await self.relay_once()
            count += relayed.count
            if relayed.error is not None:
                raise relayed.error
            if not relayed.is_full:
                return count

    async def relay_once(self) -> Relayed:
        """Publish some batches, and mark them.

        Raises:
            SQLAlchemyError: the database is away; what was published meanwhile is published again.
        """
        async with self._claims.take() as claim:
            return await self._chain(claim)

    async def _chain(self, claim: Claim) -> Relayed:
        """Several batches; while one is under way the database settles the last and finds the next."""
        limit, count, settlement = self._batch, 0, None
        error: ClientError | None = None
        rows = await claim.more(limit)
        messages = self._messages(rows)
        is_full = False
        for left in reversed(range(self.settings.chain)):
            if not rows or error or self._is_stopping:
                break
            is_full = len(rows) == limit
            self._batch = self._next_batch(limit, rows)
            async with _under_way(self._publish(messages)) as publishing:
                if settlement:
                    await claim.settle(settlement)
                upcoming = await claim.more(self._batch, after=rows[-1]) if is_full and left else ()
                messages = self._messages(upcoming)
                settlement, error = self._judge.judge(rows, await publishing, self._clock.now())
            count += len(settlement.relayed)
            rows, limit = upcoming, self._batch
        if settlement:
            await claim.settle(settlement)
        if error:
            self._batch = 1
        return Relayed(count=count, error=error, is_full=is_full)

    def _next_batch(self, limit: int, rows: Sequence[Row]) -> int:
        """Twice as many as the last time, as long as they are not too large together."""
        size = sum([len(row.body) for row in rows]) / len(rows)
        fitting = int(self.settings.batch_bytes / size) if size else self.settings.batch
        return max(1, min(2 * limit, self.settings.batch, fitting))

    def _messages(self, rows: Sequence[Row]) -> list[tuple[Message, Destination]]:
        now = self._clock.now()
        return [(row.message(now), row.destination) for row in rows]

    async def _publish(self, messages: list[tuple[Message, Destination]]) -> Sequence[ClientError | None]:
        try:
            return await self._broker.publish_many(messages, timeout=self.settings.publish_timeout)
        except ClientError as exc:  # there is no broker at all
            return [exc] * len(messages)

    def __repr__(self) -> str:
        state = "running" if self._task else "stopped"
        return f"<Relay of {self._outbox.table.name}: {state}, {self._failures} failures in a row>"
