"""What a handler is told beside the event, and how it asks for more time."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from penstock.clock import Clock
    from penstock.messaging.message import Message, Wishes
    from penstock.messaging.port import Received
    from penstock.messaging.subscriptions.worker import Worker

__all__ = ["Context"]


class Context:
    """The circumstances of one message. Valid while its handler runs."""

    __slots__ = ("_clock", "_received", "_worker", "consumer")

    def __init__(self, received: Received, consumer: str, worker: Worker, clock: Clock) -> None:
        self._received = received
        self._worker = worker
        self._clock = clock
        #: Whose handler this is.
        self.consumer = consumer

    def __repr__(self) -> str:
        return f"<Context {self.consumer} {self.message.type} {self.message.id}>"

    @property
    def message(self) -> Message:
        """The message, with its id and headers."""
        return self._received.message

    @property
    def queue(self) -> str:
        """The queue it came from."""
        return self._received.queue

    @property
    def wishes(self) -> Wishes:
        """What the message asks of whoever handles it."""
        return self._received.wishes

    @property
    def attempts(self) -> int:
        """How often handlers failed on it before."""
        return self._received.message.attempts

    @property
    def is_redelivered(self) -> bool:
        """Whether somebody had it before and did not settle it: perhaps everything is done already."""
        return self._received.redelivered

    @property
    def time_left(self) -> float:
        """Seconds until the time limit, infinite without one."""
        deadline = self._worker.deadline
        return deadline if deadline == inf else deadline - self._clock.now()

    def limit(self, seconds: float) -> None:
        """The handler may take that much from now on, and no more: a limit of its own. On the event loop."""
        self._worker.limit_to(self._clock.now() + seconds)

    def leave(self, running: asyncio.Future[Any]) -> None:
        """What cannot be stopped goes on without the handler: nothing is begun here until it is done."""
        self._worker.leftover = running

    def extend(self, seconds: float) -> None:
        """The handler may take that much from now on; its time is never cut by this. From any thread."""
        self._worker.extend(self._clock.now() + seconds)
