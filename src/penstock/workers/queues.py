"""What a broker has for a queue of jobs, and what a job's priority is called there. Pure."""

from __future__ import annotations

from typing import Final

from penstock.client import Queue
from penstock.errors import MessagingError
from penstock.messaging import Destination, Topology
from penstock.messaging.topology.deriving import Home, dead_letter_queue, queue_arguments

__all__ = ["DEFAULT_PRIORITY", "LAST", "amqp_priority", "buried_at", "home_topology", "queue_topology"]

#: Priorities are 0 to 9, and as in Keno Antigen the lower goes first. RabbitMQ advises against many more.
LAST: Final = 9
DEFAULT_PRIORITY: Final = 5


def amqp_priority(priority: int) -> int:
    """The same for AMQP, where the higher goes first.

    Raises:
        MessagingError: it is none.
    """
    if not 0 <= priority <= LAST:
        raise MessagingError(f"a job's priority is 0, the most urgent, to {LAST}: {priority} is none")
    return LAST - priority


def buried_at(queue: str) -> Destination:
    """Where the dead letters of a queue of jobs go."""
    return Destination.queue(dead_letter_queue(queue))


def home_topology(queue: str) -> Topology:
    """The queue for its dead letters."""
    return Topology(queues=(Queue(dead_letter_queue(queue)),))


def queue_topology(queue: str, *, priorities: bool = True) -> Topology:
    """The queue itself. For one that does not exist: another program's is taken as it is."""
    home = Home(exchange="", key=dead_letter_queue(queue))
    # In RabbitMQ a priority is a queue of its own inside the queue: 31 µs of its processor for a job, or 20.
    wanted = {"x-max-priority": LAST} if priorities else {}
    return Topology(queues=(Queue(queue, arguments=queue_arguments(wanted, home)),))
