"""A consumer as an application declares it: a handler, its queue, and how it wants to be treated. A value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.errors import MessagingError
from penstock.messaging.subscriptions.breaker import Pausing
from penstock.messaging.subscriptions.failure import ErrorClasses
from penstock.messaging.subscriptions.strategies import AtMostOnce, Backoff, RetryStrategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.messaging.port import Received
    from penstock.messaging.subscriptions.failure import Failure

__all__ = ["Batching", "Consumer", "undecoded"]


def undecoded(received: Received) -> Any:
    """What a handler of untyped messages gets: the message."""
    return received.message


@dataclass(frozen=True, slots=True, kw_only=True)
class Batching:
    """How messages are gathered for a handler of many."""

    #: Messages at most.
    size: int = 100
    #: Seconds that the first waits for the others at most.
    wait: float = 0.2

    def __post_init__(self) -> None:
        if self.size < 1 or self.wait < 0:
            raise MessagingError(f"messages cannot be gathered like that: {self}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Consumer:
    """Who handles the messages of a queue, and how."""

    name: str
    queue: str
    #: Takes the event, or the list of a batch, and the context; async, or plain and then run in a thread.
    handler: Callable[..., Any]
    #: What the handler gets of a message; raises InvalidMessage for one that is not what it says.
    decode: Callable[[Received], Any] = undecoded
    retry: RetryStrategy = field(default_factory=Backoff)
    errors: ErrorClasses = field(default_factory=ErrorClasses)
    #: Handlers at the same time, each with a subscription of its own.
    pool: int = 5
    #: Messages in hand for each of the pool.
    prefetch: int = 10
    #: Seconds a handler may take, unless it asks for more; None is for ever.
    time_limit: float | None = None
    #: When the queue pauses; None is never.
    pausing: Pausing | None = field(default_factory=Pausing)
    batching: Batching | None = None
    #: Whether there is no room for what its messages would leave behind: then they stay in their queue, and
    #: nobody has tried them. Asked when some come, and then every second until there is. Never waits.
    is_full: Callable[[], bool] | None = None
    #: Told of each of its messages that has become a dead letter, and why. Never waits, never fails.
    died: Callable[[Failure, str], None] | None = None

    def __post_init__(self) -> None:
        if self.pool < 1 or self.prefetch < 1:
            raise MessagingError(f"{self.name} needs a pool and a prefetch of at least 1")
        if self.time_limit is not None and self.time_limit <= 0:
            raise MessagingError(f"{self.name} cannot be done in {self.time_limit} s")
        if self.is_at_most_once and self.batching:
            raise MessagingError(f"{self.name}: a batch is handled in parts, so not at most once")

    @property
    def is_at_most_once(self) -> bool:
        """Whether messages are settled before they are handled."""
        return isinstance(self.retry, AtMostOnce)
