"""The inbox: activities of other domains, let in if they are signed by whose they are, and handled once.

What is let in waits in a queue, so that whoever sent it need not wait for what it leads to.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

from penstock.did.activities import Activity
from penstock.did.federation.archive import INBOX, is_handled, keep_activity
from penstock.errors import (
    BadActivity,
    BadHttpSignature,
    InvalidMessage,
    PersistentError,
    StoreError,
    Unavailable,
)
from penstock.messaging.message import Message
from penstock.messaging.subscriptions import Consumer, ErrorClasses, Pausing
from penstock.sidetree.multihash import hashed

if TYPE_CHECKING:
    from penstock.did.activities import Peers, Request
    from penstock.did.database import DomainDatabase
    from penstock.did.federation.handlers import Handlers
    from penstock.did.parameters import DidParameters
    from penstock.did.queues import DomainQueues
    from penstock.messaging.port import Broker, Received

__all__ = ["Inbox"]

#: Requests whose keys are fetched at a time; a slow domain must not take every thread there is.
THREADS: Final = 8
#: Requests that may wait for that, and those whose keys are here do not: anybody can name a key at a domain
#: that does not answer, and would have everybody wait behind it.
MOST: Final = 100
#: Characters of an error's text that are kept.
LONGEST_ERROR: Final = 1024


class Inbox:
    """The door, and who handles what came in by it."""

    def __init__(
        self,
        database: DomainDatabase,
        broker: Broker,
        peers: Peers,
        handlers: Handlers,
        *,
        parameters: DidParameters,
        queues: DomainQueues,
    ) -> None:
        self._database = database
        self._broker = broker
        self._peers = peers
        self._handlers = handlers
        self._parameters = parameters
        self._queue = queues.named("activity.inbox")
        self._to = queues.destination(self._queue)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="signatures")
        self._asking = 0

    async def admit(self, request: Request) -> None:
        """Let a request's activity in, and return when the broker has it for certain.

        Raises:
            BadActivity: it is none.
            BadHttpSignature: it is not signed by whose it is.
            Unavailable: the signer's key cannot be fetched now.
            PublishError: the broker does not have it, or nobody can tell.
        """
        told = Activity.parse(request.body)
        signer = await self._signer_of(request)
        if signer != told.actor:
            raise BadHttpSignature(
                "actor", f"{signer[:120]!r} sends what {told.actor[:120]!r} would have done"
            )
        message = Message(body=request.body, id=hashed([told.actor, told.name]))
        await self._broker.publish(message, self._to)

    async def _signer_of(self, request: Request) -> str:
        signer_of = partial(self._peers.signer_of, request, skew=self._parameters.max_clock_skew)
        if self._peers.knows_signer_of(request):
            return await asyncio.to_thread(signer_of)
        if self._asking >= MOST:
            raise Unavailable(f"{MOST} requests wait for the keys of their signers already")
        self._asking += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, signer_of)
        finally:
            self._asking -= 1

    @property
    def consumer(self) -> Consumer:
        """Who takes the messages. It pauses while the database is away: one domain that is, is not all."""
        return Consumer(
            name="inbox",
            queue=self._queue,
            handler=self.handle,
            decode=_activity_in,
            retry=self._parameters.retry,
            errors=ErrorClasses(transient=(StoreError,)),
            pool=self._parameters.mq_inbox_pool,
            prefetch=self._parameters.mq_prefetch,
            pausing=Pausing(on=(StoreError,)),
        )

    async def handle(self, told: Activity) -> None:
        """Handle an activity, unless that was done before; it is kept even if it can never be handled.

        Raises:
            PersistentError: it cannot be handled; it is kept with the reason.
            StoreError: the database is away.
            Exception: not now; it is to come again.
        """
        async with self._database.blamed():
            if not await self._database.ask(is_handled, INBOX, told.actor, told.name):
                await self._handle(told)

    async def _handle(self, told: Activity) -> None:
        try:
            await self._handlers.handle(told)
        except PersistentError as exc:
            await self._keep(told, str(exc)[:LONGEST_ERROR] or type(exc).__name__)
            raise
        # Last of all: whoever dies before this will have it again.
        await self._keep(told)

    async def _keep(self, told: Activity, error: str = "") -> None:
        await self._database.run(keep_activity, INBOX, told, at=self._broker.clock.now(), error=error)

    def close(self) -> None:
        """Let nobody in any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _activity_in(received: Received) -> Activity:
    try:
        return Activity.parse(received.body)
    except BadActivity as exc:
        raise InvalidMessage(f"it holds no activity: {exc}") from exc
