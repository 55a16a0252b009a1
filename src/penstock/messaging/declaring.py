"""How an application's consumers are declared: what the decorators take, made into consumers and topology."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.errors import MessagingError
from penstock.messaging.events import Registry, event_type
from penstock.messaging.subscriptions import AtMostOnce, Consumer, ErrorClasses, Pausing
from penstock.messaging.topology.deriving import Consuming

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.messaging.port import Received
    from penstock.messaging.settings import MessagingSettings
    from penstock.messaging.subscriptions import Batching, RetryStrategy

__all__ = ["Declaration"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """A consumer as the application's code declares it; what is None is the settings' to say."""

    name: str
    handler: Callable[..., Any]
    events: tuple[type[Any], ...]
    #: In the application's namespace; the consumer's name if it is None.
    queue: str | None = None
    #: Keys of its own for some of the events, by class or name: another key, or None for no binding.
    overrides: Mapping[type[Any] | str, str | None] = field(default_factory=dict)
    retry: RetryStrategy | None = None
    at_most_once: bool = False
    persistent: tuple[type[BaseException], ...] = ()
    transient: tuple[type[BaseException], ...] = ()
    pool: int | None = None
    prefetch: int | None = None
    time_limit: float | None = None
    pausing: Pausing | None = field(default_factory=Pausing)
    batching: Batching | None = None
    #: Of its queue, such as {"x-max-priority": 5}.
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.events:
            raise MessagingError(f"{self.name} consumes no event: name at least one")
        if self.at_most_once and self.retry is not None:
            raise MessagingError(f"{self.name} is at most once, so it has no retry strategy")

    def queue_name(self, application: str) -> str:
        """Its queue's whole name."""
        return f"{application}.{self.queue or self.name}"

    def consuming(self, application: str) -> Consuming:
        """It, as far as the topology goes."""
        return Consuming(
            name=self.name,
            events=tuple(event_type(each).name for each in self.events),
            queue=self.queue_name(application),
            overrides={_name(each): key for each, key in self.overrides.items()},
            arguments=self.arguments,
        )

    def consumer(
        self, application: str, settings: MessagingSettings, known: Registry | None = None
    ) -> Consumer:
        """It, at work; `known` are the application's events, with up-casters that were added to them."""
        pool = self.pool or (1 if self.batching else settings.mq_pool)
        queue = self.queue_name(application)
        return Consumer(
            # By its queue's name: whoever finds it on a dead letter knows where to send it again.
            name=queue,
            queue=queue,
            handler=self.handler,
            decode=decoder((known or Registry(*self.events)).only(*self.events)),
            retry=AtMostOnce() if self.at_most_once else self.retry or settings.retry,
            errors=ErrorClasses(self.persistent, self.transient),
            pool=pool,
            prefetch=self.prefetch or settings.mq_prefetch,
            time_limit=self.time_limit,
            pausing=self.pausing,
            batching=self.batching,
        )


def decoder(registry: Registry) -> Callable[[Received], Any]:
    """What reads the events of a registry; what is not in it is not read."""
    decode = registry.decode

    def read(received: Received) -> Any:
        name, version, content_type = received.heading
        return decode(name, version, received.body, content_type)

    return read


def _name(each: type[Any] | str) -> str:
    return each if isinstance(each, str) else event_type(each).name
