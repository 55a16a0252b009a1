"""Jobs by their ids.

A job that was put here has its id in its message. A message that came by AMQP gets one when a client of ours
first sees it, for as long as the broker runs. Ids are numbers that rise, over all tubes; how far they have
risen is written down some thousands ahead, so that none comes twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.server.beanstalk.message import JobMessage
from penstock.wiring import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.broker.host import VirtualHost
    from penstock.wiring import Queue, Reference

__all__ = ["Jobs"]

#: Ids that may be given before the count is written down again.
AHEAD: Final = 10_000
#: Under which it is.
COUNTER: Final = "job"
#: Bytes that jobs may have brought before those that are gone are looked for, and what each weighs beside its
#: body.
LITTLE: Final = 16 * 1024 * 1024
ENTRY: Final = 256
#: Jobs that are not ours to find: done with, or with a reader.
ELSEWHERE: Final = (State.GONE, State.TAKEN, State.BEHIND)


class Jobs:
    """All jobs in the memory of one virtual host."""

    def __init__(self, host: VirtualHost) -> None:
        self._host = host
        self.by_id: dict[int, Reference] = {}
        #: Those that came by AMQP: which id they were given, and where they stand.
        self._foreign: dict[Reference, tuple[int, Queue]] = {}
        self.last = self._written = host.counted(COUNTER)
        #: Bytes of jobs since somebody looked, and when it is time again.
        self._brought = 0
        self._sweep_at = LITTLE

    def __repr__(self) -> str:
        return f"<Jobs {len(self.by_id)}, the last is {self.last}>"

    # Ids

    def advance(self, last: int, size: int = 0) -> None:
        """Ids up to this one are given, to jobs of so many bytes together."""
        self._brought += size + ENTRY * (last - self.last)
        self.last = last
        if last > self._written:
            self._written = self.last + AHEAD
            self._host.count(COUNTER, self._written)
        if self._brought > self._sweep_at:
            self._sweep()

    def close(self) -> None:
        """Write down how far it was counted, exactly: the next run goes on from there."""
        if self._written != self.last:
            self._written = self.last
            self._host.count(COUNTER, self.last)

    def id_of(self, reference: Reference, queue: Queue) -> int:
        """A job's id; a message from elsewhere becomes a job by this."""
        message = reference.message
        if isinstance(message, JobMessage):
            self.by_id[message.id] = reference
            return message.id
        known = self._foreign.get(reference)
        if known is None:
            self.advance(self.last + 1)
            known = self._foreign[reference] = self.last, queue
            self.by_id[self.last] = reference
        return known[0]

    def found(self, references: Iterable[Reference]) -> None:
        """These were read back from the store."""
        for reference in references:
            message = reference.message
            if isinstance(message, JobMessage):
                self.by_id[message.id] = reference
                self.last = max(self.last, message.id)

    # Finding

    def find(self, number: int) -> tuple[Queue, Reference] | None:
        """Where a job is, unless it is gone."""
        reference = self.by_id.get(number)
        if reference is None or reference.state in ELSEWHERE:
            return None
        if reference.state is State.HELD:
            return reference.consumer.queue, reference
        foreign = self._foreign.get(reference)
        queue = foreign[1] if foreign else self._host.wiring.queues.get(("", reference.message.destination))
        return None if queue is None else (queue, reference)

    def forget(self, number: int) -> None:
        """A job is done with."""
        reference = self.by_id.pop(number, None)
        if reference is not None:
            self._foreign.pop(reference, None)

    def _sweep(self) -> None:
        """Forget what has gone by another way than a client's delete: over AMQP, expired, purged."""
        for number in [n for n, reference in self.by_id.items() if reference.state in ELSEWHERE]:
            self.forget(number)
        self._brought = 0
        # What there is counts as much as what comes: so it is looked at seldom, the more there is.
        self._sweep_at = max(sum(each.message.size + ENTRY for each in self.by_id.values()), LITTLE)
