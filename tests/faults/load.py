"""Load that knows what it was promised: a producer with confirms and a consumer with acks, in threads.

Every message has a number, one more than the one before, and its number is its body, or the beginning of
a large one. The book is written before a promise is relied on: a number is sent before its publish
leaves, and settled before its ack leaves; confirmed is what the broker has said.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.conversations.line import Channel, HungUp, Line

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.broker import FaultyBroker

QUEUE: Final = "load"
DEAD: Final = "load.dead"
#: Publishes that may wait for their confirm.
WINDOW: Final = 300
TOGETHER: Final = 20
#: Each so manieth is large enough for a content file, and each so manieth is rejected.
LARGE: Final = 97
REJECTED: Final = 11
LARGE_BODY: Final = 100_000
#: When more wait than this, they are let go of: a check reads them all.
MANY: Final = 5_000


@dataclass
class Book:
    """What the test knows."""

    sent: int = 0
    confirmed: set[int] = field(default_factory=set)
    #: Acks that were sent; whether they arrived is not known.
    acked: set[int] = field(default_factory=set)
    #: Acked, and seen to be gone: must never come back.
    gone: set[int] = field(default_factory=set)
    _known: tuple[int, int] = (0, 0)

    def begin(self) -> None:
        """A new life of the broker begins."""
        self._known = (len(self.confirmed), len(self.acked))

    def has_news(self) -> bool:
        """Whether in this life, both something was confirmed and something acked."""
        confirmed, acked = self._known
        return len(self.confirmed) > confirmed and len(self.acked) > acked


def body_of(number: int) -> bytes:
    return b"%d " % number + bytes(LARGE_BODY if number % LARGE == 0 else 0)


def number_of(body: bytes) -> int:
    number = int(body.split(b" ", 1)[0])
    assert body == body_of(number), f"message {number} is damaged: {body[:20]!r}, {len(body)} bytes"
    return number


def declare(channel: Channel) -> None:
    channel.ask("queue.declare", queue=DEAD, durable=True)
    dead = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD}
    channel.ask("queue.declare", queue=QUEUE, durable=True, arguments=dead)


def until_cut(work: Callable[[Line], None], line: Line) -> threading.Thread:
    """Work until the broker is gone."""

    def run() -> None:
        try:
            with line:
                work(line)
        except (HungUp, OSError):
            pass

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def produce(book: Book, line: Line) -> None:
    channel = line.channel()
    channel.call("confirm.select")
    first, confirmed = book.sent + 1, book.sent
    while True:
        for _ in range(TOGETHER):
            book.sent += 1
            channel.publish(body_of(book.sent), QUEUE, delivery_mode=2)
        while book.sent - confirmed > WINDOW or line.inbox[1]:
            ack = line.next(channel=1)
            assert ack.name == "basic.ack", ack
            up_to = first + ack.delivery - 1
            book.confirmed.update(range(confirmed + 1, up_to + 1) if ack.multiple else [up_to])
            confirmed = max(confirmed, up_to)


def consume(book: Book, line: Line) -> None:
    channel = line.channel()
    channel.ask("basic.qos", prefetch_count=50)
    channel.consume(QUEUE)
    while True:
        delivery = line.next(channel=1)
        number = number_of(delivery.body)
        if number % REJECTED == 0:
            channel.send("basic.reject", delivery=delivery.delivery)
        else:
            book.acked.add(number)
            channel.send("basic.ack", delivery=delivery.delivery)


def found_in(channel: Channel, queue: str) -> list[int]:
    """The numbers of all that waits in a queue, in order; they go back."""
    count = channel.ask("queue.declare", queue=queue, passive=True).messages
    channel.consume(queue, tag=queue)
    found = [number_of(channel.delivery().body) for _ in range(count)]
    assert channel.pending(queue) == [], f"{queue} has more than the {count} it told of"
    channel.ask("basic.cancel", tag=queue)
    channel.ask("basic.recover", requeue=True)
    return found


def check(book: Book, broker: FaultyBroker) -> None:
    """What must be true after each crash, before anybody else touches the queues.

    - Whatever was confirmed and not acked is there, in its queue or among the dead letters.
    - Nothing is there twice, in one queue or in both.
    - What is there was sent, whole, and stands in the order in which it was sent. Dead letters stand in
      the order in which they were rejected, which after a crash may be another.
    - An ack may have been lost on its way, so what was acked may be there again; but what was once
      gone never comes back. The same is true of what was purged.
    """
    purged: set[int] = set()
    with broker.channel() as channel:
        waiting, dead = found_in(channel, QUEUE), found_in(channel, DEAD)
        if len(waiting) + len(dead) > MANY:
            purged = {*waiting, *dead}
            for queue in (QUEUE, DEAD):
                channel.ask("queue.purge", queue=queue)
    found = {*waiting, *dead}
    assert len(found) == len(waiting) + len(dead), "something is there twice"
    assert waiting == sorted(waiting)
    assert max(found, default=0) <= book.sent
    assert not (book.confirmed - book.acked - found), "confirmed, and lost"
    assert not (book.gone & found), "back from the dead"
    assert all(number % REJECTED == 0 for number in dead)
    book.gone |= book.acked - found
    book.acked |= purged


def run(book: Book, broker: FaultyBroker) -> list[threading.Thread]:
    """A producer and a consumer, until the broker is gone."""
    book.begin()
    return [
        until_cut(lambda line: produce(book, line), broker.line()),
        until_cut(lambda line: consume(book, line), broker.line()),
    ]
