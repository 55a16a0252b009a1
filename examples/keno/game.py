"""What every part of the game has: a database, and in it an outbox, an inbox and a schedule; and a clock.

Whatever a handler changes, tells and plans is one transaction. If it dies before the commit, nothing has
happened, and the job comes again; if it dies afterwards, everything has, and the job finds nothing left to
do. So every upgrade is completed exactly once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from examples.keno import planet_statistics  # noqa: F401  its table is one of the game's
from examples.keno.rules import Span
from examples.keno.tables import metadata
from penstock.clock import SystemClock
from penstock.messaging import Destination, Message
from penstock.messaging.engine import READS, open_engine
from penstock.outbox import Inbox, Outbox
from penstock.workers import Route, Routes, Scheduled, Schedules
from penstock.workers.fan import PUBSUB
from penstock.workers.form import encode_form
from penstock.workers.queues import DEFAULT_PRIORITY, amqp_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from sqlalchemy import Connection

    from penstock.clock import Clock
    from penstock.workers import Job
    from penstock.workers.form import UserId

__all__ = ["BUILDING_CHANNEL", "FLEET_CHANNEL", "PUBLISH", "STARMAP_CHANNEL", "Game", "routed"]

#: Pub/Sub channels.
BUILDING_CHANNEL: Final = "ps_building"
FLEET_CHANNEL: Final = "ps_fleet"
STARMAP_CHANNEL: Final = "ps_starmap"
#: What is published goes by way of bg_pubsub, under this route.
PUBLISH: Final = "/pubsub/publish"


class Game:
    """A game on a database; `create` it before the first use of it, `close` it at the end.

    Args:
        database: A URL, `sqlite:///FILE` or `postgresql://…`.
        clock: What all instants are measured by.
        pace: How many times faster than its rules the game goes.
    """

    def __init__(self, database: str, *, clock: Clock | None = None, pace: float = 1.0) -> None:
        self.clock = SystemClock() if clock is None else clock
        self.pace = pace
        self.engine = open_engine(database, what="the game's tables", setting="database")
        self.outbox = Outbox(clock=self.clock)
        self.inbox = Inbox(clock=self.clock)
        self.schedules = Schedules(self.engine)

    def __repr__(self) -> str:
        return f"<Game on {self.engine.url.render_as_string(hide_password=True)}>"

    def create(self) -> None:
        """Make the tables that are not there."""
        self.schedules.create()
        for each in (metadata, self.outbox.metadata, self.inbox.metadata):
            each.create_all(self.engine)

    def close(self) -> None:
        """Let go of the database."""
        self.schedules.close()
        self.engine.dispose()

    def span(self, seconds: float) -> Span:
        """From now on, for so long by the rules."""
        now = self.clock.now()
        return Span(now, now + seconds / self.pace)

    def begin(self) -> AbstractContextManager[Connection]:
        """A transaction: committed at the end of the block, rolled back if that fails."""
        return self.engine.begin()

    def read(self) -> AbstractContextManager[Connection]:
        """One that only reads, and waits for nobody who writes."""
        return self.engine.execution_options(**{READS: True}).begin()

    def is_new(self, connection: Connection, job: Job[Any]) -> bool:
        """Whether a client's request is to be done: it may come twice, and is answered twice then."""
        return self.inbox.is_new(connection, job.id, job.route)

    # All of these are done if the transaction is, and not otherwise

    def put(self, connection: Connection, queue: str, route: str, content: Any) -> None:
        """Put a job."""
        priority = amqp_priority(DEFAULT_PRIORITY)
        message = Message(body=encode_form(route, content), priority=priority)
        self.outbox.add(connection, message, to=Destination.queue(queue))

    def tell(
        self,
        connection: Connection,
        channel: str,
        route: str,
        content: Any,
        *,
        user_id: UserId,
    ) -> None:
        """Publish a message on a channel, for the clients of a user and for whoever else listens.

        By way of bg_pubsub, as in Keno Antigen: where nobody is subscribed, it is deleted there.
        """
        message = {"route": route, "user_id": user_id, "content": content}
        self.put(connection, PUBSUB, PUBLISH, {"channel": channel, "message": message})

    def plan(
        self, connection: Connection, key: str, queue: str, route: str, content: Any, due_at: float
    ) -> None:
        """Have a job put at that time, in place of the one that was planned under this key."""
        planned = Scheduled(
            key=key,
            job=uuid4().hex,
            due_at=due_at,
            queue=queue,
            body=encode_form(route, content),
            priority=DEFAULT_PRIORITY,
        )
        self.schedules.put(planned, connection)

    def cancel(self, connection: Connection, key: str) -> None:
        """Have nothing planned under that key. A job that has left already finds nothing to do."""
        self.schedules.cancel(key, self.clock.now(), connection)


def routed(queue: str, handlers: Mapping[str, Callable[..., Any]]) -> Routes:
    """Route → who does its jobs."""
    routes = Routes(queue)
    for name, handler in handlers.items():
        routes.add(Route(name=name, handler=handler))
    return routes
