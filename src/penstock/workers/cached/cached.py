"""What is cached: by which key, how long, how much of it, and which job makes it. Declared like routes."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from uuid import uuid4

from penstock.errors import InvalidMessage, MessagingError, PersistentError
from penstock.messaging.amqp import AmqpBroker
from penstock.workers.cached.cache import Cache
from penstock.workers.cached.memory import MemoryShelf
from penstock.workers.cached.notice import channel_for
from penstock.workers.cached.shelf import Entry
from penstock.workers.fan.channels import checked
from penstock.workers.queues import DEFAULT_PRIORITY

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from penstock.workers.cached.shelf import Shelf
    from penstock.workers.job import Job

__all__ = ["Cached"]

Content = TypeVar("Content")

#: Bytes of all values of one cache.
ROOM: Final = 64 * 1024 * 1024
#: Characters of a key: what an index of any database takes.
LONGEST_KEY: Final = 500


class Cached(Generic[Content]):
    """Values that a worker makes and many ask for.

    Args:
        name: What the cache is called, in its channel and in its shelf.
        content: The type of what is asked with, as the route's handler takes it.
        queue: Where a miss becomes a job.
        route: Of that job.
        key: What two who ask for the same have in common. Raises InvalidMessage, or RequestRefused, for what
            makes no sense; nobody is bothered with that then.
        lasts: Seconds that a value holds.
        room: Bytes for all values; those kept longest ago go first.
        takes: Seconds after which whoever asks has a value begun anew whose worker has died.
        priority: Of the jobs.
        shelf: Where values are kept. With none, each process has its own, and a miss is computed once for
            each process that asks; with a database, once in the whole system.
    """

    def __init__(
        self,
        name: str,
        content: type[Content],
        *,
        queue: str,
        route: str,
        key: Callable[[Content], str],
        lasts: float = 300.0,
        room: int = ROOM,
        takes: float = 60.0,
        priority: int = DEFAULT_PRIORITY,
        shelf: Shelf | None = None,
    ) -> None:
        if lasts <= 0 or room <= 0 or takes <= 0:
            raise MessagingError(f"the cache {name} keeps nothing: lasts, room and takes are above 0")
        self.name = name
        self.content = content
        self.channel = checked(channel_for(name))
        self.queue = queue
        self.route = route
        self.lasts = lasts
        self.room = room
        self.takes = takes
        self.priority = priority
        self.shelf: Shelf = MemoryShelf() if shelf is None else shelf
        #: What other processes know this one by.
        self.by = uuid4().hex
        self._key = key
        # One broker a process, as a rule; a cache knows what it has declared there.
        self._caches: dict[AmqpBroker, Cache[Content]] = {}

    def __repr__(self) -> str:
        return f"<Cached {self.name}: {self.route} on {self.queue}, {self.shelf!r}>"

    def entry(self, content: Content) -> Entry:
        """What the value is known by.

        Raises:
            InvalidMessage: there can be none.
        """
        key = self._key(content)
        if not 0 < len(key) <= LONGEST_KEY:
            raise InvalidMessage(f"a key of {self.name} has 1 to {LONGEST_KEY} characters, not {len(key)}")
        return Entry(self.name, key)

    def on(self, broker: object) -> Cache[Content]:
        """The cache on a broker: to forget, and within `async with`, to ask.

        Raises:
            PersistentError: that broker knows no publish/subscribe.
        """
        if not isinstance(broker, AmqpBroker):
            raise PersistentError(f"a cache needs a broker that speaks AMQP, and not {broker!r}")
        found = self._caches.get(broker)
        if found is None:
            found = self._caches[broker] = Cache(self, broker)
        return found

    def fills(self, handler: Callable[[Job[Content]], Any]) -> Callable[[Job[Content]], Awaitable[Any]]:
        """Have a route's handler make the values. Goes beneath `@routes.route(…)`.

        What the handler returns is kept, pushed to all who wait, and the job's result; a job for what is
        there already does not reach it. A plain handler runs in a thread.
        """

        @wraps(handler)
        async def fill(job: Job[Content]) -> Any:
            return await self.on(job.jobs.broker).fill(job, handler)

        return fill
