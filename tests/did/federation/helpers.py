"""What tests of the federation share: a broker on paper, two domains and what they say to each other."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from penstock.did.activities import Activity, AnchorEvent
from penstock.did.federation.iris import Iris
from penstock.did.federation.outgoing import Outgoing, outgoing_in
from tests.did.activities.helpers import URL
from tests.did.operation_queue.helpers import Bodied, PaperBroker

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.messaging import Message

A, B = Iris("https://a.example"), Iris("https://b.example")
EVENT = AnchorEvent(url=URL)
OUTBOX_QUEUE = "orb.activity.outbox"
INBOX_QUEUE = "orb.activity.inbox"


class PaperQueues(PaperBroker):
    """A broker on paper that has all queues."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.queues = defaultdict(list)

    def written(self, queue: str) -> list[Message]:
        """What was published to a queue, and is now out of it."""
        return [message for _, message in self.queues.pop(queue, [])]

    def outgoing(self) -> list[Outgoing]:
        """The same of the outbox, read."""
        return [read(message) for message in self.written(OUTBOX_QUEUE)]


def read(message: Message) -> Outgoing:
    received: Any = Bodied(message.body)
    return outgoing_in(received)


def told(document: Any) -> Activity:
    return Activity.read(document)
