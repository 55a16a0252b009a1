"""The store without a disk: the same contract, and nothing outlives the process.

What an embedded broker without a folder uses, and what tests use for speed.
"""

from __future__ import annotations

from itertools import chain, islice, takewhile
from threading import Lock
from typing import TYPE_CHECKING

from penstock.store.content_memory import ContentMemory
from penstock.store.ordered import Ordered
from penstock.store.rows import END, Found, Line, Standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.errors import StoreDamaged
    from penstock.store.batch import Batch
    from penstock.store.contents import Contents
    from penstock.store.rows import (
        Change,
        Definition,
        Expiry,
        FullMessage,
        FullReference,
        Move,
        PlainReference,
        Raw,
        Span,
        Taking,
    )

__all__ = ["MemoryStore"]

IN_LINE = (Standing.READY, Standing.OVERFLOWED)
#: How what a reader takes stands there, and how it stands in the queue if it comes back.
TO_READER = dict.fromkeys(Standing, Standing.READY) | {Standing.OVERFLOWED: Standing.OVERFLOWED}
FROM_READER = {Standing.READY: Standing.DELAYED}


class MemoryStore:
    """Rows in dictionaries."""

    def __init__(self, contents: Contents | None = None) -> None:
        """An empty store.

        Args:
            contents: where large bodies go; without, they are in memory, too.
        """
        self.contents: Contents = ContentMemory() if contents is None else contents
        self.damaged: list[StoreDamaged] = []
        #: The writer's thread and the loop take turns.
        self._lock = Lock()
        self._definitions: dict[tuple[str, str], bytes] = {}
        self._messages: dict[int, FullMessage] = {}
        self._copies: dict[int, int] = {}
        #: By queue and priority, then by sequence.
        self._lines: dict[tuple[int, int], Ordered[int, FullReference]] = {}
        #: By queue, in order of expiry.
        self._expiring: dict[int, Ordered[Expiry, FullReference]] = {}
        self._takings: dict[tuple[int, int], Taking] = {}

    def __repr__(self) -> str:
        return f"<MemoryStore {len(self._messages)} messages>"

    def close(self) -> None:
        """There is nothing to close."""

    # The writer thread

    def write(self, batch: Batch) -> None:
        with self._lock:
            self._write_rows(batch)
            for span in batch.cleared:
                self._remove(self._in_span(span))
            if batch.committed or batch.dropped:
                self._forget_takings(dict(batch.committed) | dict.fromkeys(batch.dropped, END))
            for queue in batch.dropped:
                self._remove(self._in_queue(queue))
            self._definitions.update({(kind, key): value for kind, key, value in batch.defined})
            for name in batch.undefined:
                self._definitions.pop(name, None)

    def _write_rows(self, batch: Batch) -> None:
        for message in chain(((*plain, None, None, 1) for plain in batch.plain_messages), batch.messages):
            self._messages[message[0]] = message
            self._copies[message[0]] = message[-1]
        for reference in chain(map(_full, batch.plain_references), batch.references):
            self._add(reference)
        for move in batch.given_back:
            self._move(move, FROM_READER)
        for change in batch.changes:
            self._change(change)
        for move in batch.moved:
            self._move(move, TO_READER)
        self._takings.update({taking[:2]: taking for taking in batch.taken})
        for queue, priority, sequence, message_id in batch.removals:
            self._take(queue, priority, sequence)
            self._release(message_id)

    def tidy(self) -> bool:
        return False

    def _add(self, reference: FullReference) -> None:
        queue, priority, sequence, *_ = reference
        self._lines.setdefault((queue, priority), Ordered())[sequence] = reference
        expires_at = reference[6]
        if expires_at is not None:
            self._expiring.setdefault(queue, Ordered())[expires_at, priority, sequence] = reference

    def _take(self, queue: int, priority: int, sequence: int) -> FullReference | None:
        line = self._lines.get((queue, priority))
        reference = None if line is None else line.pop(sequence)
        if line is not None and not line:
            del self._lines[queue, priority]
        if reference is not None and reference[6] is not None:
            self._expiring[queue].pop((reference[6], priority, sequence))
        return reference

    def _change(self, change: Change) -> None:
        priority, standing, due_at, expires_at, acquired, failed, redelivered, error, remarks, *place = change
        queue, before, sequence = place
        found = self._take(queue, before, sequence)
        if found is not None:
            times = (standing, due_at, expires_at)
            counts = (acquired, failed, redelivered)
            self._add((queue, priority, sequence, found[3], *times, *counts, error, remarks))

    def _move(self, move: Move, standings: dict[Standing, Standing]) -> None:
        """Those that stand so, to stand so there; somebody had them once at least."""
        to, queue, priority, first, last = move
        line = self._lines.get((queue, priority))
        rows = () if line is None else takewhile(lambda found: found[0] <= last, line.since(first))
        for sequence, row in list(rows):
            standing = standings.get(Standing(row[4]))
            if standing is not None:
                self._take(queue, priority, sequence)
                self._add((to, *row[1:4], standing, *row[5:7], max(row[7], 1), *row[8:]))

    def _forget_takings(self, up_to: dict[int, int]) -> None:
        self._takings = {
            place: taking
            for place, taking in self._takings.items()
            if taking[1] + taking[2] - 1 > up_to.get(taking[0], -1)
        }

    def _release(self, message: int) -> None:
        self._copies[message] = left = self._copies.get(message, 0) - 1
        if left <= 0:
            del self._copies[message]
            row = self._messages.pop(message, None)
            if row is not None and row[7] is not None:
                self.contents.delete([row[7]])

    def _remove(self, references: Iterable[FullReference]) -> None:
        for queue, priority, sequence, message, *_ in list(references):
            self._take(queue, priority, sequence)
            self._release(message)

    def _in_span(self, span: Span) -> Iterator[FullReference]:
        queue, priority, first, below = span
        line = self._lines.get((queue, priority))
        for sequence, reference in () if line is None else line.since(first):
            if sequence >= below:
                return
            if reference[4] in IN_LINE:
                yield reference

    def _in_queue(self, queue: int, priority: int = 0) -> Iterator[FullReference]:
        """All from this priority on, in order."""
        lines = sorted(place for place in self._lines if place[0] == queue and place[1] >= priority)
        return (reference for place in lines for _sequence, reference in self._lines[place].since(-END))

    # The loop

    def definitions(self) -> list[Definition]:
        with self._lock:
            return sorted((kind, key, value) for (kind, key), value in self._definitions.items())

    def lines(self) -> list[Line]:
        with self._lock:
            return [self._line(*place) for place in sorted(self._lines)]

    def takings(self) -> list[Taking]:
        with self._lock:
            return [self._takings[place] for place in sorted(self._takings)]

    def settle_takings(self) -> None:
        with self._lock:
            for place, taking in self._takings.items():
                reader, _position, count, priority, sequence, _arrived_at, home = taking
                if home != reader:
                    self._move((reader, home, priority, sequence, sequence + count - 1), TO_READER)
                    self._takings[place] = (*taking[:-1], reader)

    def last_message(self) -> int:
        with self._lock:
            return max(self._messages, default=0)

    def fetch(self, queue: int, priority: int, first: int, below: int, limit: int) -> list[Found]:
        with self._lock:
            return self._find(self._in_span((queue, priority, first, below)), limit)

    def nth(self, queue: int, priority: int, first: int, below: int, skip: int) -> int | None:
        with self._lock:
            row = next(islice(self._in_span((queue, priority, first, below)), skip, None), None)
            return None if row is None else row[2]

    def fetch_raw(
        self, front: int, queue: int, priority: int, first: int, below: int, limit: int
    ) -> list[Raw]:
        return [
            (
                row.sequence,
                row.content,
                row.proxy,
                row.destination,
                row.acquired > 1 or row.redelivered > 0,
                row.front == front and row.file is None,
            )
            for row in self.fetch(queue, priority, first, below, limit)
        ]

    def run(
        self, queue: int, priority: int, first: int, below: int, limit: int, *, weighed: bool
    ) -> tuple[int, int, int, int]:
        with self._lock:
            found = [row for row in self._in_span((queue, priority, first, below)) if not row[4]][:limit]
            messages = [self._messages[row[3]] for row in found] if weighed else []
            if not found or any(message[6] is not None for message in messages):
                return 0, 0, 0, 0
            return len(found), found[0][2], found[-1][2], sum(message[5] for message in messages)

    def aside(self, queue: int, standing: Standing, after: tuple[int, int], limit: int) -> list[Found]:
        with self._lock:
            rows = (row for row in self._in_queue(queue, after[0]) if row[4] == standing and row[1:3] > after)
            return self._find(rows, limit)

    def expiring(self, queue: int, after: Expiry, limit: int) -> list[Found]:
        with self._lock:
            places = self._expiring[queue].since(after) if queue in self._expiring else ()
            rows = (row for place, row in places if row[4] in IN_LINE and place > after)
            return self._find(rows, limit)

    def weigh(self, queue: int) -> int:
        with self._lock:
            return sum(self._messages[row[3]][5] for row in self._in_queue(queue))

    def _line(self, queue: int, priority: int) -> Line:
        rows = dict(self._lines[queue, priority].since(-END))
        ready = sum(row[4] in IN_LINE for row in rows.values())
        return Line(queue, priority, ready, len(rows) - ready, max(rows))

    def _find(self, references: Iterable[FullReference], limit: int) -> list[Found]:
        return [
            Found(*row[1:], *self._messages[row[3]][1:-1], self._copies[row[3]])
            for row in islice(references, limit)
        ]


def _full(plain: PlainReference) -> FullReference:
    return (*plain, Standing.READY, 0.0, None, 0, 0, 0, None, None)
