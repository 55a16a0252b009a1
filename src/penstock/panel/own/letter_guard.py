"""What the broker's permissions say about dead letters.

A letter belongs to the queue that its consumer failed on. Who reads its contents reads from that queue; who
sends it once more takes it from there and publishes it by a queue's name; who discards it purges. Tags say
who may try, this says with which letters; it knows no store.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import NotPermitted, UnknownVirtualHost
from penstock.server.operations import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.panel.visit import Visit

__all__ = ["LetterGuard"]


class LetterGuard:
    """Watches over what one visitor does with the dead letters of one virtual host."""

    def __init__(self, visit: Visit, vhost: str) -> None:
        """A guard for somebody who may look at the virtual host at all.

        Raises:
            NotPermitted, UnknownVirtualHost: this one may not.
        """
        self._visit = visit
        self._vhost = vhost
        # Who monitors is told of everything, though not of what messages say.
        if not visit.sees_all:
            visit.guard(vhost)

    def withheld(self, queues: Iterable[str]) -> Mapping[str, str]:
        """Queue → why the contents of its letters are not for this visitor; without those that are."""
        reasons = {queue: self._refusal(queue) for queue in set(queues)}
        return {queue: reason for queue, reason in reasons.items() if reason}

    def check_reading(self, queues: Iterable[str]) -> None:
        """Let somebody read, or ask about, what letters of these queues say.

        Raises:
            NotPermitted, UnknownVirtualHost: not all of them are for this visitor.
        """
        self._check(Operation.GET, queues)

    def check_sending(self, queues: Iterable[str]) -> None:
        """Let somebody send letters of these queues to a queue, as if they were moved there.

        Raises:
            NotPermitted, UnknownVirtualHost: as above.
        """
        self._visit.guard(self._vhost).check(Operation.PUBLISH, "")
        self._check(Operation.GET, queues)

    def check_discarding(self, queues: Iterable[str]) -> None:
        """Let somebody delete letters of these queues.

        Raises:
            NotPermitted, UnknownVirtualHost: as above.
        """
        self._check(Operation.QUEUE_PURGE, queues)

    def _check(self, operation: Operation, queues: Iterable[str]) -> None:
        guard = self._visit.guard(self._vhost)
        for queue in queues:
            guard.check(operation, queue)

    def _refusal(self, queue: str) -> str:
        try:
            self.check_reading([queue])
        except (NotPermitted, UnknownVirtualHost) as refusal:
            return str(refusal)
        return ""
