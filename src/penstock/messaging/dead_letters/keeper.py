"""The keeper: drains the queue of dead letters into the store.

A message is acked when it is committed, and not before; what arrives twice is kept once. While the
database is away the messages stay in the broker's hands.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from penstock.client import Queue
from penstock.clock import SystemClock, sleep
from penstock.errors import StoreError
from penstock.messaging.alerts.kinds import EXHAUSTED
from penstock.messaging.dead_letters.reading import read
from penstock.messaging.draining import Drain
from penstock.messaging.port import Alert, Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from penstock.clock import Clock
    from penstock.messaging.dead_letters.record import DeadLetter
    from penstock.messaging.dead_letters.store import DeadLetterStore
    from penstock.messaging.port import Alerts, Broker, Received

__all__ = ["DeadLetterKeeper"]

#: Messages in hand; as many are written with one commit.
PREFETCH: Final = 200
#: Seconds between the tries to write while the database is away: each is twice the one before.
SHORTEST_S: Final = 0.5
LONGEST_S: Final = 30.0

_log = logging.getLogger(__name__)


class DeadLetterKeeper:
    """Keeps whatever arrives in a queue of dead letters; a part of an application (`app.attach`).

    Args:
        store: Where they are kept; it is created when this starts.
        queue: The queue, e.g. `commons.dead-letters`; declared when this starts, if nobody has.
        alerts: Told of what a broker has dead-lettered by itself; consumers and redelivery tell of their own.
        consumers: Queue → the name of its consumer, for what the broker has dead-lettered by itself.
        arguments: The queue's.
    """

    def __init__(
        self,
        store: DeadLetterStore,
        queue: str,
        *,
        alerts: Alerts | None = None,
        consumers: Mapping[str, str] | None = None,
        arguments: Mapping[str, Any] | None = None,
        prefetch: int = PREFETCH,
    ) -> None:
        self._clock: Clock = SystemClock()
        self._store = store
        self._queue = Queue(queue, arguments=dict(arguments or {}))
        self._alerts = alerts
        self._consumers = dict(consumers or {})
        self._drain = Drain(queue, self._handle, prefetch=prefetch)
        #: How many were kept that were not there before.
        self.kept = 0

    def __repr__(self) -> str:
        return f"<DeadLetterKeeper of {self._queue.name}: {self.kept} kept>"

    @property
    def is_busy(self) -> bool:
        """Whether anything is in hand."""
        return self._drain.is_busy

    async def start(self, broker: Broker) -> None:
        """Begin."""
        self._clock = broker.clock
        await self._store.run(self._store.create)
        if await broker.depth(self._queue.name) is None:
            await broker.initialize(Topology(queues=(self._queue,)))
        await self._drain.start(broker)

    async def stop(self) -> None:
        """Take no more; what is not kept yet goes back to the queue."""
        await self._drain.stop()

    async def _handle(self, batch: Sequence[Received]) -> None:
        now = self._clock.now()
        letters = [read(received.message, received.deaths, now, self._consumers) for received in batch]
        self.kept += await self._write(letters)
        for received in batch:
            self._drain.ack(received)
        self._tell(letter for letter, received in zip(letters, batch, strict=True) if received.deaths)

    async def _write(self, letters: Sequence[DeadLetter]) -> int:
        wait = SHORTEST_S
        while True:
            try:
                return await self._store.run(self._store.keep, letters)
            except StoreError as exc:
                _log.warning("%d dead letters wait for the database: %s", len(letters), exc)
            await sleep(self._clock, wait)
            wait = min(wait * 2, LONGEST_S)

    def _tell(self, letters: Iterable[DeadLetter]) -> None:
        if self._alerts is None:
            return
        for letter in {letter.group: letter for letter in letters}.values():
            self._alerts.raise_alert(
                Alert(
                    kind=EXHAUSTED,
                    subject=f"{letter.consumer} {letter.group}",
                    text=f"{letter.consumer} could not handle {letter.type or 'a message'}: {letter.error}",
                    details={"group": letter.group, "message_id": letter.message_id, "reason": letter.reason},
                    is_critical=True,
                )
            )
