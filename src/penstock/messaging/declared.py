"""What an application declares before it runs: its events, its consumers, and the topology they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from penstock.errors import MessagingError
from penstock.messaging.declaring import Declaration
from penstock.messaging.events import Registry
from penstock.messaging.redelivery import RedeliveryNames, redelivery_topology
from penstock.messaging.settings import MessagingSettings
from penstock.messaging.subscriptions import Batching
from penstock.messaging.topology.deriving import derive

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypedDict

    from penstock.messaging.port import Topology
    from penstock.messaging.subscriptions import Pausing, RetryStrategy

    class Options(TypedDict, total=False):
        """How a consumer wants to be treated; see Declaration."""

        name: str
        queue: str | None
        overrides: Mapping[type[Any] | str, str | None]
        retry: RetryStrategy
        persistent: tuple[type[BaseException], ...]
        transient: tuple[type[BaseException], ...]
        pool: int
        prefetch: int
        time_limit: float | None
        pausing: Pausing | None
        arguments: Mapping[str, Any]


__all__ = ["Declared"]

Handler = TypeVar("Handler", bound="Callable[..., Any]")


class Declared:
    """An application, as far as it is declared."""

    def __init__(self, name: str, settings: MessagingSettings | None) -> None:
        self.name = name
        self.settings = settings or MessagingSettings()
        self.events = Registry()
        self.declarations: list[Declaration] = []

    def consumer(
        self, *events: type[Any], at_most_once: bool = False, **options: Unpack[Options]
    ) -> Callable[[Handler], Handler]:
        """Have these events handled, one at a time. The handler takes the event, and the context if it likes.

        Raises:
            MessagingError: it cannot be treated like that.
        """
        return self._declare(events, None, {"at_most_once": at_most_once, **options})

    def batch_consumer(
        self, *events: type[Any], size: int = 500, wait: float = 0.2, **options: Unpack[Options]
    ) -> Callable[[Handler], Handler]:
        """Have these events handled, many at a time. The handler takes a list of Delivered.

        Raises:
            MessagingError: it cannot be treated like that.
        """
        return self._declare(events, Batching(size=size, wait=wait), dict(options))

    def _declare(
        self, events: Sequence[type[Any]], batching: Batching | None, options: dict[str, Any]
    ) -> Callable[[Handler], Handler]:
        def declare(handler: Handler) -> Handler:
            name = options.pop("name", None) or getattr(handler, "__name__", type(handler).__name__)
            if any(other.name == name for other in self.declarations):
                raise MessagingError(f"{self.name} has a consumer {name} already")
            declaration = Declaration(
                name=name, handler=handler, events=tuple(events), batching=batching, **options
            )
            self.events.add(*events)
            self.declarations.append(declaration)
            return handler

        return declare

    def topology(self) -> Topology:
        """The exchange, queues and bindings that the declared consumers need.

        Raises:
            TopologyError: two consumers want different things of one queue.
        """
        arguments = self.settings.queue_arguments
        names = self.redelivery
        topology = derive(
            self.name,
            [declaration.consuming(self.name) for declaration in self.declarations],
            published=[each.name for each in self.events],
            home=None if names is None else names.home,
            arguments=arguments,
        )
        return topology if names is None else topology + redelivery_topology(names=names, arguments=arguments)

    @property
    def redelivery(self) -> RedeliveryNames | None:
        """What the queues of redelivery are called, if the settings want them."""
        return RedeliveryNames(self.name) if self.settings.mq_redelivery == "queue" else None
