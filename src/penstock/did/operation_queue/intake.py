"""The way in: operations are posted to the broker, and taken from it into the database and the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.did.operation_queue.copies import CONSUMER
from penstock.did.operation_queue.operation import Posted, message_of, operation_id, posted_in
from penstock.did.operation_queue.pending import entry_of
from penstock.did.operation_queue.taking import take, waiting_among
from penstock.errors import StoreError
from penstock.messaging.subscriptions import Batching, Consumer, ErrorClasses

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue.operation import QueuedOperation
    from penstock.did.operation_queue.pending import Pending
    from penstock.did.parameters import DidParameters
    from penstock.did.queues import DomainQueues
    from penstock.errors import PublishError
    from penstock.messaging.port import Broker
    from penstock.messaging.subscriptions import Delivered

__all__ = ["Intake"]

#: Messages that are taken in one transaction, and how long the first waits for the others.
BATCHING: Final = Batching(size=1000, wait=0.05)
#: Operations that wait in memory, at some 400 bytes each, until no more are taken; and how many are left then
#: when others are. What stays in the queue is in the broker's store.
MOST: Final = 500_000
ROOM_AT: Final = 400_000
#: Seconds after which a transaction is certainly done, or never will be, from when its answer was lost.
DOUBT_S: Final = 60.0


class Intake:
    """Adds operations for all instances, and takes this one's."""

    def __init__(
        self,
        database: DomainDatabase,
        broker: Broker,
        pending: Pending,
        *,
        me: str,
        parameters: DidParameters,
        queues: DomainQueues,
    ) -> None:
        self._database = database
        self._broker = broker
        self._pending = pending
        self._me = me
        self._parameters = parameters
        self._queue = queues.operation
        self._to = queues.destination(queues.operation)
        #: The ids of operations that may be kept here though nobody has said so, and until when.
        self._in_doubt: dict[str, float] = {}
        self._was_full = False

    async def add(self, operation: QueuedOperation) -> str:
        """Post an operation, and return its id when the broker has it for certain.

        Raises:
            PublishError: the broker does not have it, or nobody can tell.
        """
        posted = _posted(operation)
        await self._broker.publish(message_of(posted), self._to)
        return posted.id

    async def add_many(self, operations: Iterable[QueuedOperation]) -> list[PublishError | None]:
        """Post operations in order with one wait; what happened to each, None is confirmed."""
        messages = [(message_of(_posted(operation)), self._to) for operation in operations]
        return await self._broker.publish_many(messages)

    @property
    def consumer(self) -> Consumer:
        """Who takes the messages, and how. A database that is away is no message's fault."""
        return Consumer(
            name=CONSUMER,
            queue=self._queue,
            handler=self.take,
            decode=posted_in,
            retry=self._parameters.retry,
            errors=ErrorClasses(transient=(StoreError,)),
            pool=self._parameters.op_queue_pool,
            prefetch=self._parameters.mq_prefetch,
            batching=BATCHING,
            is_full=self._is_full,
        )

    def _is_full(self) -> bool:
        """Whether as many wait as may: batches are cut no more while the storage, or Spark, is away."""
        self._was_full = len(self._pending) >= (ROOM_AT if self._was_full else MOST)
        return self._was_full

    async def take(self, batch: list[Delivered]) -> None:
        """Messages have come: keep their operations, and let those wait that are this instance's now.

        Raises:
            StoreError: the database is away; nothing was kept, or its answer was lost.
        """
        latest: dict[str, Posted] = {}
        for delivered in batch:
            posted: Posted = delivered.event
            if posted.id not in latest or posted.retries > latest[posted.id].retries:
                latest[posted.id] = posted
        kept, now = list(latest.values()), self._broker.clock.now()
        lifespan = self._parameters.operation_lifespan_s
        try:
            mine = await self._database.run(take, self._me, kept, now=now, lifespan=lifespan)
        except StoreError:
            # If it was done all the same, another instance that gets the messages now leaves them to us.
            self._in_doubt |= dict.fromkeys(latest, self._broker.clock.now() + DOUBT_S)
            raise
        self._pending.add(entry_of(each, now, mine[each.id]) for each in kept if each.id in mine)

    async def settle_doubts(self) -> None:
        """Let those wait that were kept here without a word, because the database's answer was lost.

        Raises:
            StoreError: the database is away; they are asked for again.
        """
        if not self._in_doubt:
            return
        asked, now = dict(self._in_doubt), self._broker.clock.now()
        self._pending.add(await self._database.run(waiting_among, self._me, list(asked)))
        for each, until in asked.items():
            if until <= now and self._in_doubt.get(each) == until:
                del self._in_doubt[each]


def _posted(operation: QueuedOperation) -> Posted:
    return Posted(operation_id(operation.operation_request), operation)
