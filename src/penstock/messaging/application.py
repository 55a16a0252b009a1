"""An application: its events, its consumers, its broker. What most programs need of this package.

Make one, declare consumers with its decorators, `start` it, `publish` events, `stop` it. docs/tutorials show
it at work.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, Protocol

from penstock.errors import MessagingError, Unroutable
from penstock.messaging.alerts import UNROUTED
from penstock.messaging.declared import Declared
from penstock.messaging.message import Destination, Message
from penstock.messaging.opening import open_broker
from penstock.messaging.port import Alert
from penstock.messaging.redelivery import RedeliveryHandler, RedeliveryPolicy
from penstock.messaging.subscriptions import Subscription, Watch
from penstock.messaging.topology.deriving import dead_letter_queue

if TYPE_CHECKING:
    from typing import Self

    from penstock.clock import Clock
    from penstock.messaging.declaring import Declaration
    from penstock.messaging.port import Alerts, Broker
    from penstock.messaging.settings import MessagingSettings


__all__ = ["Application", "Part"]


class Part(Protocol):
    """Something that runs as long as the application does: a relay, the keeper of the dead letters."""

    async def start(self, broker: Broker) -> None:
        """Begin, now that the broker is there and has the topology."""
        ...

    async def stop(self) -> None:
        """End, while the broker is still there."""
        ...


class Application(Declared):
    """A program that publishes and consumes events, whichever broker it is given."""

    def __init__(
        self,
        name: str,
        *,
        mq_url: str | None = None,
        settings: MessagingSettings | None = None,
        clock: Clock | None = None,
        alerts: Alerts | None = None,
        broker: Broker | None = None,
    ) -> None:
        """Make one; nothing happens before `start`.

        Args:
            name: The namespace of its exchange and queues.
            mq_url: Where the broker is; the settings' mq_url if it is None, and if that is None too, the
                application has a broker of its own inside the process.
            settings: How it reaches the broker and treats its consumers.
            clock: What everything waits by.
            alerts: Who is told when a person should know.
            broker: One that is open, in place of a URL; it is not closed here.
        """
        super().__init__(name, settings)
        self.subscriptions: list[Subscription] = []
        self.mq_url = mq_url or self.settings.mq_url
        self._clock = clock
        self._alerts = alerts
        self._given = broker
        self._broker: Broker | None = None
        self._parts: list[Part] = []
        if self.redelivery is not None:
            policy = RedeliveryPolicy.from_settings(self.settings)
            handler = RedeliveryHandler(
                policy, names=self.redelivery, alerts=alerts, arguments=self.settings.queue_arguments
            )
            self.attach(handler)
        self._opened = AsyncExitStack()

    def __repr__(self) -> str:
        where = "stopped" if self._broker is None else repr(self._broker)
        return f"<Application {self.name}, {len(self.declarations)} consumers, {where}>"

    def attach(self, part: Part) -> None:
        """Have it run as long as the application does; call before `start`."""
        self._parts.append(part)

    # Running

    @property
    def broker(self) -> Broker:
        """The broker, while the application runs.

        Raises:
            MessagingError: it does not.
        """
        if self._broker is None:
            raise MessagingError(f"{self.name} is not running: `await app.start()` first")
        return self._broker

    @property
    def is_busy(self) -> bool:
        """Whether a handler is at work, or a part that can tell."""
        return any(each.is_busy for each in self.subscriptions) or any(
            getattr(part, "is_busy", False) for part in self._parts
        )

    async def start(self) -> None:
        """Connect, declare the topology, and let the consumers work.

        Raises:
            ClientError: the broker cannot be reached, or has something else by a name of ours.
        """
        if self._broker is not None:
            raise MessagingError(f"{self.name} is running already")
        async with AsyncExitStack() as opened:
            await self._begin(opened)
            self._opened = opened.pop_all()

    async def _begin(self, opened: AsyncExitStack) -> None:
        """Open one thing after another; `opened` closes them in the opposite order."""
        opened.callback(self._forget)
        self._broker = broker = self._given or await open_broker(
            self.mq_url, settings=self.settings, clock=self._clock
        )
        if self._given is None:
            opened.push_async_callback(broker.close)
        await broker.initialize(self.topology())
        for part in self._parts:
            await part.start(broker)
            opened.push_async_callback(part.stop)
        opened.push_async_callback(self._stop_subscriptions)
        for declaration in self.declarations:
            await self._subscribe(declaration, broker)
        if self._alerts is not None:
            after = self.settings.mq_stuck_after
            watch = Watch(self.subscriptions, clock=broker.clock, alerts=self._alerts, after=after)
            opened.callback(watch.stop)
            watch.start()

    async def _subscribe(self, declaration: Declaration, broker: Broker) -> None:
        subscription = Subscription(
            declaration.consumer(self.name, self.settings, self.events),
            broker,
            dead_letters=Destination.queue(dead_letter_queue(self.name)),
            alerts=self._alerts,
        )
        self.subscriptions.append(subscription)
        await subscription.start()

    async def stop(self) -> None:
        """Let handlers that have begun finish, give back the rest, and leave."""
        await self._opened.aclose()

    async def _stop_subscriptions(self) -> None:
        timeout = self.settings.mq_stop_timeout
        await asyncio.gather(*(subscription.stop(timeout) for subscription in self.subscriptions))

    def _forget(self) -> None:
        # Last of all: handlers that are finishing may still publish.
        self._broker = None
        self.subscriptions = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    # Publishing

    def message(self, event: Any, **properties: Any) -> Message:
        """The message that tells of an event; `properties` are a Message's.

        Raises:
            InvalidMessage: the event is not what its class promises.
            MessagingError: it is no event.
        """
        self.events.add(type(event))
        name, version, body = self.events.encode(event)
        return Message(body=body, type=name, version=version, **properties)

    async def publish(
        self,
        event: Any,
        *,
        key: str | None = None,
        delay: float = 0.0,
        timeout: float | None = None,  # noqa: ASYNC109  by the broker's clock
        **properties: Any,
    ) -> Message:
        """Publish an event, and return its message when the broker has confirmed it.

        Args:
            event: Of a class declared with `event`.
            key: What it is routed by, if not its name.
            delay: Seconds before anybody gets it.
            timeout: Seconds until the deadline; the settings' if it is None.
            properties: More of the Message's: id, headers, correlation_id, priority, expires_in …

        Raises:
            InvalidMessage: the event is not what its class promises.
            Unroutable: no consumer is bound to it.
            PublishError: it was refused, or the deadline passed, or the connection went.
        """
        message = self.message(event, delay=delay, **properties)
        to = Destination(self.name, key or message.type)
        try:
            await self.broker.publish(message, to, timeout=timeout)
        except Unroutable:
            if self._alerts is not None:
                text = f"nobody takes {message.type} at {to}"
                self._alerts.raise_alert(
                    Alert(kind=UNROUTED, subject=str(to), text=text, details={"message_id": message.id})
                )
            raise
        return message
