"""The outbox: activities of this domain, kept, and delivered to whom they are for.

Each step is a message of its own, so that a domain that does not answer holds nobody else up, and is tried
again by itself. What is done twice after a crash is delivered twice, and known there by its id. From the
second step on a message names the activity, which is kept here: a linkset has a megabyte, and whoever follows
and is gone for good has a dead letter of every anchor.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from penstock.did.activities import Activity
from penstock.did.federation.archive import OUTBOX, find_activity, keep_activity
from penstock.did.federation.outgoing import BROADCAST, DELIVER, RESOLVE, Outgoing, message_of, outgoing_in
from penstock.errors import BadActivity, StoreError
from penstock.messaging.subscriptions import Consumer, ErrorClasses, Pausing
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.did.database import DomainDatabase
    from penstock.did.federation.delivery import Delivery
    from penstock.did.federation.handlers import Handlers
    from penstock.did.federation.recipients import Recipients
    from penstock.did.parameters import DidParameters
    from penstock.did.queues import DomainQueues
    from penstock.messaging.port import Broker

__all__ = ["Outbox"]

#: Services that an activity is handed on to at a time: strangers may follow, as many as they like.
AT_ONCE: Final = 50

P = ParamSpec("P")
T = TypeVar("T")

_log = logging.getLogger(__name__)


class Outbox:
    """Where the parts of a domain post activities."""

    def __init__(
        self,
        database: DomainDatabase,
        broker: Broker,
        recipients: Recipients,
        delivery: Delivery,
        *,
        service: str,
        own: Handlers,
        parameters: DidParameters,
        queues: DomainQueues,
    ) -> None:
        """Nothing is sent yet.

        Args:
            service: The IRI whose activities these are.
            own: What this domain itself does about activities that it sends.
        """
        self._database = database
        self._broker = broker
        self._recipients = recipients
        self._delivery = delivery
        self._service = service
        self._own = own
        self._parameters = parameters
        self._queue = queues.named("activity.outbox")
        self._to = queues.destination(self._queue)
        # Its own: domains that do not answer must not take the threads that others wait for.
        self._threads = ThreadPoolExecutor(parameters.mq_outbox_pool, thread_name_prefix="outbox")
        self._steps = {BROADCAST: self._broadcast, RESOLVE: self._resolve, DELIVER: self._deliver}

    async def post(self, activity: Mapping[str, Any], *, exclude: Iterable[str] = ()) -> None:
        """Have an activity sent to whom it is for, and return when the broker has it for certain.

        The same activity, by its id, may be posted more than once, and counts once.

        Raises:
            BadActivity: it is none, or not this service's.
            PublishError: the broker does not have it, or nobody can tell; it may be posted again.
        """
        self._checked(activity)
        outgoing = Outgoing(type=BROADCAST, activity=dict(activity), exclude=list(exclude))
        await self._broker.publish(message_of(outgoing), self._to)

    @property
    def consumer(self) -> Consumer:
        """Who takes the messages. It pauses while the database is away: one domain that is, is not all."""
        return Consumer(
            name="outbox",
            queue=self._queue,
            handler=self.handle,
            decode=outgoing_in,
            retry=self._parameters.retry,
            errors=ErrorClasses(transient=(StoreError,)),
            pool=self._parameters.mq_outbox_pool,
            prefetch=self._parameters.mq_prefetch,
            pausing=Pausing(on=(StoreError,)),
        )

    async def handle(self, outgoing: Outgoing) -> None:
        """Take an activity one step further.

        Raises:
            NotAcceptable: somebody refuses it, or it cannot be.
            StoreError: the database is away.
            Unavailable, PublishError: not now.
        """
        async with self._database.blamed():
            await self._steps[outgoing.type](outgoing)

    async def _broadcast(self, outgoing: Outgoing) -> None:
        told = self._checked(outgoing.activity)
        # First of all: an answer to it must find it here.
        await self._database.run(keep_activity, OUTBOX, told, at=self._broker.clock.now())
        await self._own.handle(told)
        services = await self._recipients.services(told.to, exclude=outgoing.exclude)
        for start in range(0, len(services), AT_ONCE):
            some = services[start : start + AT_ONCE]
            await self._publish(
                await asyncio.gather(*(self._next({"id": told.name}, service) for service in some))
            )

    async def _next(self, activity: dict[str, Any], service: str) -> Outgoing:
        """Deliver it, or find the inbox later: whatever the trouble is, it is that service's alone."""
        try:
            inbox = await self._in_thread(self._recipients.inbox_of, service)
        except Exception as exc:  # noqa: BLE001 (the others are to hear of it whatever this one answers)
            _log.warning("the inbox of %s is not known yet: %s: %s", service, type(exc).__name__, exc)
            return Outgoing(type=RESOLVE, activity=activity, target=service)
        return Outgoing(type=DELIVER, activity=activity, target=inbox)

    async def _resolve(self, outgoing: Outgoing) -> None:
        inbox = await self._in_thread(self._recipients.inbox_of, outgoing.target)
        await self._publish([Outgoing(type=DELIVER, activity=outgoing.activity, target=inbox)])

    async def _deliver(self, outgoing: Outgoing) -> None:
        whole = await self._whole(outgoing.activity)
        await self._in_thread(self._delivery.deliver, outgoing.target, canonical(whole))

    async def _whole(self, activity: dict[str, Any]) -> dict[str, Any]:
        # Older versions have put all of it into each message.
        if activity.keys() > {"id"}:
            return activity
        found = await self._database.ask(find_activity, OUTBOX, self._service, activity.get("id", ""))
        if found is None:
            raise BadActivity("unknown", f"the outbox has no activity {str(activity)[:120]}")
        return dict(found)

    async def _publish(self, steps: Iterable[Outgoing]) -> None:
        messages = [(message_of(step), self._to) for step in steps]
        for error in await self._broker.publish_many(messages) if messages else ():
            if error is not None:
                raise error

    async def _in_thread(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(work, *args, **kwargs))

    def close(self) -> None:
        """Deliver nothing any more."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _checked(self, activity: Mapping[str, Any]) -> Activity:
        told = Activity.read(dict(activity))
        if told.actor != self._service:
            raise BadActivity("actor", f"{told.actor[:120]!r} posts in the outbox of {self._service}")
        return told
