"""Tubes: queues as beanstalk clients see them.

A tube that somebody uses or watches is there; one that nobody needs any more, and that a beanstalk client
brought about, goes. Queues that AMQP declared are tubes as well, and stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.server.amqp.declared import BY_USE
from penstock.wire.beanstalk import is_tube_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.broker import Broker
    from penstock.broker.host import VirtualHost
    from penstock.settings import Settings
    from penstock.wiring import Queue

__all__ = ["DEFAULT", "Tube", "Tubes"]

#: The tube that every client uses and watches at first, and that is always there.
DEFAULT: Final = "default"
#: Names that AMQP keeps for the server.
RESERVED: Final = "amq."


class Tube:
    """One tube, with what is counted of it."""

    __slots__ = ("deletes", "name", "pause_in", "pauses", "queue", "users", "watchers")

    def __init__(self, name: str, queue: Queue) -> None:
        self.name = name
        self.queue = queue
        #: Clients.
        self.users = 0
        self.watchers = 0
        #: Commands since the tube came about.
        self.deletes = 0
        self.pauses = 0
        #: Seconds it was last paused for.
        self.pause_in = 0

    def __repr__(self) -> str:
        return f"<Tube {self.name!r}, {self.users} users, {self.watchers} watchers, {self.queue!r}>"


class Tubes:
    """The tubes of one virtual host."""

    def __init__(self, broker: Broker, host: VirtualHost, settings: Settings) -> None:
        self._broker = broker
        self._host = host
        self._max_queues = settings.max_queues
        #: Whether jobs survive a restart.
        self.is_durable = settings.data is not None and settings.beanstalk_jobs == "durable"
        self._by_name: dict[str, Tube] = {}
        #: Timeouts in tubes that are gone.
        self._lapsed = 0

    def __repr__(self) -> str:
        return f"<Tubes {', '.join(map(repr, self))}>"

    def __iter__(self) -> Iterator[str]:
        """The names of all tubes."""
        for (namespace, name), queue in self._host.wiring.queues.items():
            if not namespace and queue.owner is None and is_tube_name(name):
                yield name

    def __len__(self) -> int:
        return sum(1 for _ in self)

    # Finding and making

    def maybe_find(self, name: str) -> Tube | None:
        """The tube of that name, if there is one."""
        queue = self._host.wiring.queues.get(("", name))
        if queue is None or queue.owner is not None:
            return None
        tube = self._by_name.get(name)
        if tube is None:
            tube = self._by_name[name] = Tube(name, queue)
        tube.queue = queue
        return tube

    def is_free(self, name: str) -> bool:
        """Whether the name is a shared queue's, or may become one's."""
        queue = self._host.wiring.queues.get(("", name))
        return not name.startswith(RESERVED) if queue is None else queue.owner is None

    def maybe_open(self, name: str) -> Tube | None:
        """The tube of that name, made now if there is none; None if there cannot be one more, or this one."""
        tube = self.maybe_find(name)
        if tube is not None or not self.is_free(name):
            return tube
        most, hosts = self._max_queues, self._broker.hosts.values()
        if most is not None and sum(len(host.wiring.queues) for host in hosts) >= most:
            return None
        # All of a tube stands in memory, as in beanstalkd: any job can be asked for by its id.
        how: dict[str, Any] = {"persistent": self.is_durable, "window": None, "remarks": BY_USE}
        queue = self._host.create_queue(name, now=self._broker.now, **how)
        # Its counts, if there were a tube of that name before, began with it.
        before = self._by_name.get(name)
        tube = self._by_name[name] = Tube(name, queue)
        if before is not None:
            tube.users, tube.watchers = before.users, before.watchers
        return tube

    def queue_of(self, tube: Tube) -> Queue:
        """The queue of a tube that somebody needs: made anew if AMQP has deleted it, and if that can be."""
        if tube.queue.destroyed:
            tube.queue = (self.maybe_open(tube.name) or tube).queue
            self._by_name[tube.name] = tube
        return tube.queue

    # Going

    def settle(self, tube: Tube) -> None:
        """Let go of a tube that nobody needs, if it was made here."""
        queue = tube.queue
        needed = tube.users or tube.watchers or tube.name == DEFAULT or queue.destroyed
        if needed or queue.template.remarks != BY_USE or not _is_idle(queue):
            return
        self._lapsed += queue.tally.lapsed
        self._host.wiring.destroy_queue(queue)
        self._host.clear_away()
        self._by_name.pop(tube.name, None)

    def settle_all(self) -> None:
        """The same for all: after a restart there may be some that clients have left."""
        for name in list(self):
            tube = self.maybe_find(name)
            if tube is not None:
                self.settle(tube)

    # Counting

    def deleted(self, queue: Queue) -> None:
        """A client has deleted a job here."""
        tube = self._by_name.get(queue.name)
        if tube is not None:
            tube.deletes += 1

    @property
    def timeouts(self) -> int:
        """How often a lease ran out since the start."""
        return self._lapsed + sum(queue.tally.lapsed for queue in self._host.wiring.queues.values())

    def made_here(self) -> Iterator[Queue]:
        """The queues that beanstalk clients brought about."""
        return (queue for queue in self._host.wiring.queues.values() if queue.template.remarks == BY_USE)


def _is_idle(queue: Queue) -> bool:
    """Whether it holds nothing, and serves nobody but by its name."""
    holds = queue.ready or queue.held or len(queue.timers.delayed) or queue.buried
    serves = queue.dispatch.consumers or queue.readers or queue.leaving or len(queue.registrations) > 1
    return not holds and not serves
