"""What the store's tests share: small batches, a photograph of a store, and a broker's clerk."""

from __future__ import annotations

import json
from itertools import accumulate, count
from math import inf
from typing import TYPE_CHECKING, Any

from penstock.store import END, Batch, Joined, Standing, as_row, is_plain
from penstock.wiring import Message, Reference, Terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.store import Found, Raw, Store, StoredBacklog
    from penstock.store.rows import FullMessage, FullReference

ASIDE = (Standing.DELAYED, Standing.BURIED)


# Rows


def message(number: int, *, file: str | None = None, length: int = 4, copies: int = 1) -> FullMessage:
    return (number, 1, b"body", "proxy", "work", length, b"extra", file, copies)


def reference(
    place: tuple[int, int, int],
    number: int,
    standing: Standing = Standing.READY,
    *,
    due_at: float = 0.0,
    expires_at: float | None = None,
) -> FullReference:
    return (*place, number, standing, due_at, expires_at, 0, 0, 0, None, None)


def plain(numbers: Iterable[int], *, queue: int = 1, priority: int = 0, batch: int = 1) -> Batch:
    """Messages that stand in one queue, their sequences like their numbers."""
    made = Batch(batch)
    for number in numbers:
        made.plain_messages.append((number, 1, b"body %d" % number, "", "work", 100))
        made.plain_references.append((queue, priority, number, number))
    return made


def removal(numbers: Iterable[int], *, queue: int = 1, priority: int = 0, batch: int = 2) -> Batch:
    """The same ones go."""
    return Batch(batch, removals=[(queue, priority, number, number) for number in numbers])


# Looking


def fetched(store: Store, queue: int = 1, priority: int = 0) -> list[int]:
    """The sequences in a line."""
    return [found.sequence for found in store.fetch(queue, priority, -END, END, 10_000)]


def photograph(store: Store, queues: Sequence[int] = range(4)) -> dict[str, Any]:
    """All that can be read: two of the same differ if anything changed."""
    while store.tidy():
        pass
    lines = store.lines()
    return {
        "definitions": store.definitions(),
        "lines": lines,
        "last": store.last_message(),
        "fetched": [store.fetch(line.queue, line.priority, -END, END, 100) for line in lines],
        "aside": [store.aside(queue, how, (-1, -1), 100) for queue in queues for how in ASIDE],
        "expiring": [store.expiring(queue, (-inf, -1, -1), 100) for queue in queues],
        "weights": [store.weigh(queue) for queue in queues],
    }


# A broker in small


class Clerk:
    """Keeps what is put behind, as a broker does: a Keeper."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.batch = Batch(1)
        self._numbers = count(store.last_message() + 1)

    def keep(self, queue: int, reference: Reference) -> None:
        message, batch = reference.message, self.batch
        message.stored = number = next(self._numbers)
        terms = {"priority": message.terms.priority}
        extra, size = json.dumps(terms).encode(), len(message.body)
        batch.messages.append((number, 0, bytes(message.body), "", message.destination, size, extra, None, 1))
        if is_plain(reference):
            batch.plain_references.append((queue, reference.priority, reference.sequence, number))
        else:
            batch.references.append(as_row(queue, number, reference))

    def load(self, found: Found) -> Message:
        terms = Terms(**json.loads(found.extra or b"{}"))
        made = Message(found.content, found.destination, terms=terms)
        made.stored = found.message
        return made

    def settle(self, queue: int, references: Iterable[Reference]) -> None:
        """They are done with."""
        for found in references:
            self.batch.removals.append((queue, found.priority, found.sequence, found.message.stored))

    def commit(self, *backlogs: StoredBacklog) -> None:
        """Write the batch, tell the backlogs, and begin the next."""
        self.store.write(self.batch)
        written, self.batch = self.batch.number, Batch(self.batch.number + 1)
        for backlog in backlogs:
            backlog.committed(written)


def unjoined(found: list[Raw] | Joined) -> list[Raw]:
    """Row by row, whichever way it came."""
    if not isinstance(found, Joined):
        return found
    ends = [*accumulate(found.lengths)]
    contents = [found.contents[end - size : end] for end, size in zip(ends, found.lengths, strict=True)]
    return [
        (sequence, content, found.proxy, found.destination, False, True)
        for sequence, content in zip(found.sequences, contents, strict=True)
    ]
