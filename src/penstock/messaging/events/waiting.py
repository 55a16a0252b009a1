"""Messages that wait, held against the contracts of today: could they be read?

A sample is taken from each queue, by getting messages without settling them and putting all of them back at
the end. While that lasts nobody else gets them, and afterwards they count as redelivered; what is in the
sample is read as a handler would read it, and no handler is called.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from penstock.errors import InvalidMessage
from penstock.messaging.headers import ERROR_CLASS, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.client import Queue
    from penstock.messaging.events.registry import Registry
    from penstock.messaging.message import Message
    from penstock.messaging.port import Broker, Received

__all__ = ["Sample", "Unreadable", "judge", "sample"]

#: Messages looked at in each queue, unless told otherwise.
USUAL_SAMPLE: Final = 100
#: Since this version of RabbitMQ a quorum queue does not count a message put back as a failure.
HARMLESS_SINCE: Final = (4, 3)
#: What a message died of that could not be read then, either: no news.
NO_NEWS: Final = ("InvalidMessage", "UnknownEvent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Messages that could not be read, all for the same reason."""

    type: str
    version: int
    reason: str
    count: int
    #: The id of one of them.
    example: str

    def __str__(self) -> str:
        messages = "message" if self.count == 1 else "messages"
        return f"{self.count} {messages} such as {self.example} cannot be read: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What was found in one place."""

    place: str
    looked_at: int = 0
    unreadable: tuple[Unreadable, ...] = ()
    #: Why nothing was looked at, if nothing was.
    skipped: str = ""


def judge(registry: Registry, place: str, messages: Iterable[Message]) -> Sample:
    """Read messages as a handler would; which of them cannot be."""
    looked_at = 0
    counts: Counter[tuple[str, int, str]] = Counter()
    examples: dict[tuple[str, int, str], str] = {}
    for message in messages:
        looked_at += 1
        if text_of(message.headers, ERROR_CLASS).rpartition(".")[2] in NO_NEWS:
            continue
        try:
            registry.decode(message.type, message.version, message.body, message.content_type)
        except InvalidMessage as fault:
            kind = message.type, message.version, str(fault)
            counts[kind] += 1
            examples.setdefault(kind, message.id)
    found = tuple(
        Unreadable(
            type=name, version=version, reason=reason, count=count, example=examples[name, version, reason]
        )
        for (name, version, reason), count in counts.most_common()
    )
    return Sample(place=place, looked_at=looked_at, unreadable=found)


async def sample(broker: Broker, registry: Registry, queue: Queue, *, most: int = USUAL_SAMPLE) -> Sample:
    """Look at the first messages of a queue, and put them back."""
    if reason := _harm(broker, queue):
        return Sample(place=queue.name, skipped=reason)
    if await broker.depth(queue.name) is None:
        return Sample(place=queue.name, skipped="there is no such queue yet")
    in_hand: list[Received] = []
    try:
        while len(in_hand) < most and (received := await broker.fetch(queue.name)) is not None:
            in_hand.append(received)
        return judge(registry, queue.name, (received.message for received in in_hand))
    finally:
        for received in in_hand:
            received.requeue()
        # They leave at the end of the loop's turn: whoever looks next finds them.
        await asyncio.sleep(0)


def _harm(broker: Broker, queue: Queue) -> str:
    """Why looking would do harm, if it would."""
    kind = queue.arguments.get("x-queue-type")
    if kind == "stream":
        return "a stream is not read like a queue"
    if kind == "quorum" and broker.product == "RabbitMQ" and broker.version < HARMLESS_SINCE:
        version = ".".join(map(str, broker.version))
        return f"RabbitMQ {version} counts a message that is put back as a failed delivery of a quorum queue"
    return ""
