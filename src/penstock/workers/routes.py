"""Routes: the explicit registry from a job's route to its handler.

Nothing that a message says is ever imported or looked up anywhere else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from penstock.errors import MessagingError, UnknownRoute
from penstock.workers.cron import Cron
from penstock.workers.form import encode_form, read_form
from penstock.workers.queues import DEFAULT_PRIORITY
from penstock.workers.recurring import Recurring
from penstock.workers.route import Route

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.workers.form import UserId

__all__ = ["Routes", "Taken"]

Handler = TypeVar("Handler", bound="Callable[..., Any]")


class Taken(NamedTuple):
    """A job that can be done: its route, and what it says."""

    route: Route
    user_id: UserId | None
    content: Any


class Routes:
    """Handlers by route, and the jobs that come by themselves. Declare them where a module is loaded.

    Args:
        queue: The queue that the jobs of these routes are put on, for workers that are told none.
        priorities: Whether that queue keeps priorities, if it is made for these routes.
    """

    def __init__(self, queue: str | None = None, *, priorities: bool = True) -> None:
        self._routes: dict[str, Route] = {}
        #: With whether they keep priorities.
        self._queues: dict[str, bool] = {} if queue is None else {queue: priorities}
        self.recurring: dict[str, Recurring] = {}

    def __repr__(self) -> str:
        return f"<Routes {', '.join(self._routes) or 'none yet'}>"

    def __iter__(self) -> Iterator[Route]:
        return iter(self._routes.values())

    @property
    def queues(self) -> tuple[str, ...]:
        """The queues that were named with the routes."""
        return tuple(self._queues)

    def keeps_priorities(self, queue: str) -> bool:
        """Whether a queue does; those that others name do."""
        return self._queues.get(queue, True)

    # Declaring

    def route(self, name: str, **options: Any) -> Callable[[Handler], Handler]:
        """Have jobs of that route done by the function beneath; `options` are a Route's.

        Raises:
            MessagingError: the route has a handler, or the function cannot be one.
        """

        def declare(handler: Handler) -> Handler:
            self.add(Route(name=name, handler=handler, **options))
            return handler

        return declare

    def add(self, route: Route) -> None:
        """Have a route.

        Raises:
            MessagingError: it has another handler.
        """
        if self._routes.setdefault(route.name, route) is not route:
            raise MessagingError(f"{route.name} has a handler already: {self._routes[route.name].handler}")

    def include(self, *others: Routes) -> None:
        """Have the routes of others, too, with their queues and what comes by itself.

        Raises:
            MessagingError: a route would have two handlers.
        """
        for other in others:
            for route in other:
                self.add(route)
            self._queues |= {queue: other.keeps_priorities(queue) for queue in other.queues}
            self.recurring |= other.recurring

    def cron(
        self,
        expression: str,
        queue: str,
        route: str,
        content: Any = None,
        *,
        zone: str = "UTC",
        name: str | None = None,
        priority: int = DEFAULT_PRIORITY,
    ) -> None:
        """Have a job put whenever the cron expression says so, once in the whole system.

        Args:
            expression: Minute, hour, day, month, weekday, such as `*/5 * * * *`; or `@hourly` and the like.
            queue: Where it is put.
            route: Of the job.
            content: Of the job; nothing is `{}`.
            zone: The time zone that the expression is meant in.
            name: What all schedulers know it by; the queue and the route, if it is None.
            priority: As of any job.

        Raises:
            BadSchedule: the expression or the zone cannot be read.
            MessagingError: another one has that name.
        """
        known_as = name or f"{queue} {route}"
        if known_as in self.recurring:
            raise MessagingError(f"two crons are called {known_as!r}: give them names")
        body = encode_form(route, {} if content is None else content)
        self.recurring[known_as] = Recurring(
            name=known_as, cron=Cron(expression, zone), queue=queue, body=body, priority=priority
        )

    # Using

    def find(self, name: str) -> Route:
        """The route of that name.

        Raises:
            UnknownRoute: there is none.
        """
        try:
            return self._routes[name]
        except KeyError:
            raise UnknownRoute(f"no handler here is for the route {name!r}") from None

    def read(self, body: bytes) -> Taken:
        """The job in a message's body. On the path of every job.

        Raises:
            InvalidMessage: there is none, or it is not what its handler takes.
            UnknownRoute: nobody here does such jobs.
        """
        form = read_form(body)
        route = self._routes.get(form.route) or self.find(form.route)
        return Taken(route, form.user_id, route.read(form.content))
