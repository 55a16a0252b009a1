"""Operations, and a broker on paper: what is published is written down, and taken when the test says so."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from penstock.clock import VirtualClock
from penstock.did.operation_queue.operation import Posted, QueuedOperation, operation_id, posted_in
from penstock.errors import NotConnected, PublishLost

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from penstock.clock import Clock
    from penstock.errors import PublishError
    from penstock.messaging import Destination, Message, Received, Subscribed, Topology

OPERATIONS = "orb.operation"
DEAD_LETTERS = "orb.dead-letters"


def run(story: Awaitable[Any]) -> Any:
    """Tell a story to its end, which is soon."""

    async def with_deadline() -> Any:
        async with asyncio.timeout(60):
            return await story

    return asyncio.run(with_deadline())


def operation(number: int = 1, **more: Any) -> QueuedOperation:
    """An operation like no other of another number, of a DID of its own."""
    values = {
        "type": "create",
        "operation_request": b'{"n":%d}' % number,
        "unique_suffix": f"did-{number}",
        "anchor_origin": "https://orb.domain1.com",
    }
    return QueuedOperation(**(values | more))


def posted(number: int = 1, *, retries: int = 0, has_error: bool = False, **more: Any) -> Posted:
    """An operation in a message."""
    made = operation(number, **more)
    return Posted(operation_id(made.operation_request), made, retries, has_error)


class Bodied:
    """A message in hand, as far as it is read."""

    def __init__(self, body: bytes) -> None:
        self.body = body


def read(message: Message) -> Posted:
    """What a message posts."""
    received: Any = Bodied(message.body)
    return posted_in(received)


class PaperBroker:
    """Confirms everything, unless it is away or told to lose some."""

    product = "Paper"
    version = (1,)

    def __init__(self, clock: Clock | None = None) -> None:
        self.clock: Clock = clock or VirtualClock(1_000_000.0)
        self.is_connected = True
        #: What waits in each queue: from when on, and what.
        self.queues: dict[str, list[tuple[float, Message]]] = {OPERATIONS: [], DEAD_LETTERS: []}
        #: What a message with this id fails with.
        self.errors: dict[str, PublishError] = {}
        #: Every n-th publish is taken, and nobody is told so.
        self.loses_every = 0
        self.receive: Callable[[list[Received]], None] | None = None
        self._count = 0

    async def publish(self, message: Message, to: Destination, *, timeout: float | None = None) -> None:  # noqa: ASYNC109  the port's own
        (error,) = await self.publish_many([(message, to)], timeout=timeout)
        if error:
            raise error

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        *,
        timeout: float | None = None,  # noqa: ASYNC109  the port's own
    ) -> list[PublishError | None]:
        if not self.is_connected:
            raise NotConnected("there is nobody")
        return [self._publish(message, to) for message, to in messages]

    def _publish(self, message: Message, to: Destination) -> PublishError | None:
        if message.id in self.errors:
            return self.errors[message.id]
        self.queues[to.key].append((self.clock.now() + message.delay, message))
        self._count += 1
        if self.loses_every and self._count % self.loses_every == 0:
            return PublishLost("the connection went")
        return None

    def take(self, count: int = 1_000_000) -> list[Message]:
        """Messages of the operations' queue that are due, out of it."""
        queue, now = self.queues[OPERATIONS], self.clock.now()
        due = sorted((each for each in queue if each[0] <= now), key=lambda each: each[0])[:count]
        for each in due:
            queue.remove(each)
        return [message for _, message in due]

    def give_back(self, messages: Sequence[Message]) -> None:
        """They were not acked."""
        self.queues[OPERATIONS][:0] = [(0.0, message) for message in messages]

    @property
    def delays(self) -> list[float]:
        return [due - self.clock.now() for due, _ in self.queues[OPERATIONS]]

    @property
    def dead(self) -> list[Message]:
        return [message for _, message in self.queues[DEAD_LETTERS]]

    async def initialize(self, topology: Topology) -> None:
        """Everything is there."""

    async def subscribe(
        self,
        queue: str,
        receive: Callable[[list[Received]], None],
        *,
        prefetch: int,
        pool: int = 1,
        any_size: bool = False,
    ) -> Subscribed:
        self.receive = receive
        return _Standing()

    async def fetch(self, queue: str) -> Received | None:
        raise NotImplementedError

    async def depth(self, queue: str) -> int | None:
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing to leave."""


class _Standing:
    is_live = True

    async def cancel(self) -> None:
        """Nothing comes anyway."""
