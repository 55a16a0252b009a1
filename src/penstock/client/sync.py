"""The client for scripts and threads: the same verbs, each returning when it is done.

A thread of its own runs the loop, so heartbeats are kept however long the caller takes. Any thread may call;
nothing is cheaper for it than awaiting would be, so whoever publishes much uses `publish_many`.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from typing import TYPE_CHECKING, Any, TypeVar

from penstock.client import connecting
from penstock.errors import NotConnected

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence
    from concurrent.futures import Future
    from types import TracebackType
    from typing import Self

    from penstock.client.client import Client
    from penstock.client.consumption import Consumption
    from penstock.client.delivery import Delivery
    from penstock.client.settings import ClientSettings
    from penstock.client.values import Outgoing, Queue, QueueState, Thing
    from penstock.errors import PublishError
    from penstock.wire.amqp import BasicProperties

__all__ = ["Deliveries", "SyncClient", "SyncDelivery", "connect"]

T = TypeVar("T")


def connect(url: str | Sequence[str], *, settings: ClientSettings | None = None) -> SyncClient:
    """A client that is connected; use it in a `with` statement, or close it.

    Raises:
        BadUrl, LoginRefused, NotConnected: as of `penstock.client.connect`.
    """
    return SyncClient(url, settings)


class SyncClient:
    """A client and the thread it runs in."""

    def __init__(self, url: str | Sequence[str], settings: ClientSettings | None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="penstock client", daemon=True)
        self._thread.start()
        try:
            self._client: Client = self._wait(connecting.connect(url, settings=settings))
        except BaseException:
            self._end()
            raise

    def __repr__(self) -> str:
        return f"<SyncClient {self._client}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _exc: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    def publish(self, outgoing: Outgoing, timeout: float | None = None) -> None:
        """Publish a message; returns when the broker has it, and raises as `Client.publish` does."""
        self._wait(self._published(outgoing, timeout))

    async def _published(self, outgoing: Outgoing, timeout: float | None) -> None:  # noqa: ASYNC109 (the client's)
        # A publish begins where it is called, which must be the client's own thread.
        await self._client.publish(outgoing, timeout)

    def publish_many(
        self, outgoings: Sequence[Outgoing], timeout: float | None = None
    ) -> list[PublishError | None]:
        """Publish messages in order; what became of each, None where the broker has it."""
        return self._wait(self._client.publish_many(outgoings, timeout))

    def request(
        self,
        exchange: str,
        routing_key: str,
        body: bytes,
        properties: BasicProperties | None = None,
        timeout: float | None = None,
    ) -> SyncDelivery:
        """Publish a request; the reply to it."""
        reply = self._wait(self._client.request(exchange, routing_key, body, properties, timeout))
        return SyncDelivery(self._loop, reply)

    def declare(self, *things: Thing) -> None:
        """Make exchanges, queues and bindings, now and after every loss."""
        self._wait(self._client.declare(*things))

    def withdraw(self, *things: Thing) -> None:
        """Remove them, and do not make them again."""
        self._wait(self._client.withdraw(*things))

    def purge(self, queue: str | Queue) -> int:
        """Drop what waits in a queue; how many messages that were."""
        return self._wait(self._client.purge(queue))

    def queue_state(self, queue: str | Queue) -> QueueState | None:
        """How full a queue is; None if there is none of that name."""
        return self._wait(self._client.queue_state(queue))

    def get(self, queue: str | Queue) -> SyncDelivery | None:
        """One message of a queue, if one waits there."""
        delivery = self._wait(self._client.get(queue))
        return SyncDelivery(self._loop, delivery) if delivery is not None else None

    def consume(self, queue: str | Queue, *, prefetch: int = 100) -> Deliveries:
        """Messages of a queue, one after the other: `for delivery in client.consume("q")`."""
        deliveries = Deliveries(self)
        deliveries.begin(self._wait(self._client.consume(queue, deliveries.receive, prefetch=prefetch)))
        return deliveries

    def close(self, timeout: float | None = None) -> None:
        """Settle, say farewell, and end the thread."""
        if not self._loop.is_closed():
            self._wait(self._client.close(timeout))
            self._end()

    def _wait(self, doing: Coroutine[Any, Any, T]) -> T:
        if self._loop.is_closed():
            doing.close()
            raise NotConnected("the client is closed")
        future: Future[T] = asyncio.run_coroutine_threadsafe(doing, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class SyncDelivery:
    """A message in hand, to be settled from any thread; what it says is the Delivery's."""

    __slots__ = ("_delivery", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop, delivery: Delivery) -> None:
        self._loop = loop
        self._delivery = delivery

    def __repr__(self) -> str:
        return f"<SyncDelivery {self._delivery}>"

    def __getattr__(self, name: str) -> Any:
        return getattr(self._delivery, name)

    def ack(self) -> None:
        """It is done."""
        self._loop.call_soon_threadsafe(self._delivery.ack)

    def reject(self, requeue: bool = False) -> None:  # noqa: FBT001, FBT002 (AMQP's own flag)
        """It failed."""
        self._loop.call_soon_threadsafe(self._delivery.reject, requeue)

    def nack(self, requeue: bool = True) -> None:  # noqa: FBT001, FBT002 (likewise)
        """It was not its fault."""
        self._loop.call_soon_threadsafe(self._delivery.nack, requeue)


class Deliveries:
    """The messages of a queue as an iterator that waits for the next; `close` ends it."""

    def __init__(self, client: SyncClient) -> None:
        self._client = client
        self._waiting: queue.SimpleQueue[Delivery | None] = queue.SimpleQueue()
        self._consumption: Consumption | None = None

    def begin(self, consumption: Consumption) -> None:
        """The broker delivers now."""
        self._consumption = consumption

    def receive(self, deliveries: list[Delivery]) -> None:
        """For the loop's thread: hand over."""
        for delivery in deliveries:
            self._waiting.put(delivery)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> SyncDelivery:
        delivery = self.maybe_next()
        if delivery is None:
            raise StopIteration
        return delivery

    def maybe_next(self, timeout: float | None = None) -> SyncDelivery | None:
        """The next message; None when the time is up, or all is over."""
        try:
            delivery = self._waiting.get(timeout=timeout)
        except queue.Empty:
            return None
        return SyncDelivery(self._client._loop, delivery) if delivery is not None else None  # noqa: SLF001

    def close(self) -> None:
        """Let nothing more come; what was not taken goes back to the queue."""
        if self._consumption is not None:
            consumption, self._consumption = self._consumption, None
            self._client._wait(consumption.cancel())  # noqa: SLF001 (one thing in two classes)
            while not self._waiting.empty():
                delivery = self._waiting.get()
                if delivery is not None:
                    SyncDelivery(self._client._loop, delivery).nack()  # noqa: SLF001 (likewise)
            self._waiting.put(None)
