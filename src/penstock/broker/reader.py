"""Reader: a reader of the wiring whose messages survive, and do not fill the memory.

What it has taken stands in memory up to a limit, the oldest leave first: what was taken last is read
next. The rest is in the store only, and is read from there a page at a time.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

from penstock.broker.definitions import Kind, ReaderDocument
from penstock.broker.page import Page, Taken
from penstock.store import Joined, as_reference
from penstock.wiring import Reader as WiredReader
from penstock.wiring import State
from penstock.wiring.stretch import Handful

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from penstock.broker.definitions import Definitions
    from penstock.broker.page import Part
    from penstock.broker.records import Records
    from penstock.store import Found
    from penstock.wiring import Queue, Reference
    from penstock.wiring.stretch import Stretch

__all__ = ["Reader"]

#: Bytes of taken messages that a reader keeps in memory, by estimate.
WINDOW_BYTES: Final = 128 * 1024 * 1024
#: What a message takes in memory beside its body.
MESSAGE: Final = 512
#: So many are weighed to tell what a handful weighs.
SAMPLES: Final = 8
#: Messages made anew at a time: some 0.8 ms of the loop's time (bench/store.py).
PAGE: Final = 256
#: Rows at a time that stay as they are.
RAW_PAGE: Final = 4096


class Reader(WiredReader):
    """One reader of one queue of a virtual host."""

    def __init__(
        self, name: str, queue: Queue, host: str, records: Records, definitions: Definitions
    ) -> None:
        super().__init__(name, queue)
        self._host = host
        self._records = records
        self._definitions = definitions
        #: Those in memory that the store can have, the oldest first; what is committed is empty.
        self._in_memory: deque[Handful] = deque()
        self._weight = 0
        self._written = 0

    # Reading

    async def read(self, start: int, end: int, front: int) -> list[Part]:
        """What is at the positions after `start` up to `end`, as often as it is wanted.

        Positions that are committed are gone; those of transient messages are empty after a restart.

        Args:
            front: what is in the store only, and in this one's form, comes as it is written there.
        """
        found: list[Part] = []
        count, turn_at = 0, PAGE
        async for part in self._parts(start, end, front):
            found.append(part)
            count += len(part)
            if count >= turn_at:
                turn_at = count + PAGE
                # The others on this loop want their turn.
                await asyncio.sleep(0)
        return found

    async def _parts(self, start: int, end: int, front: int) -> AsyncIterator[Part]:
        """A handful in memory, or a page of the store, at a time; things may change in between."""
        handfuls = deque(self.between(start, end))
        while handfuls:
            handful = handfuls.popleft()
            wanted = handful.stretch.between(start, end)
            if handful.references is not None:
                skipped = wanted.position - handful.stretch.position
                yield _in_memory(wanted, handful.references[skipped : skipped + wanted.length])
                continue
            neighbours = [wanted]
            # What came later, but stands behind it, is fetched with it.
            while handfuls and handfuls[0].references is None and handfuls[0].stretch.goes_on(neighbours[-1]):
                neighbours.append(handfuls.popleft().stretch.between(start, end))
            async for part in self._in_store(neighbours, front):
                yield part

    async def _in_store(self, neighbours: list[Stretch], front: int) -> AsyncIterator[Part]:
        arrived = [(stretch.sequence, stretch.arrived_at) for stretch in neighbours]
        rest = neighbours[0]._replace(length=sum(stretch.length for stretch in neighbours))
        offset = rest.position - rest.sequence
        fetch, wait = self._records.fetch_raw, asyncio.get_running_loop().run_in_executor
        # In a thread: most of the time SQLite is at it alone, and the loop has others to serve.
        while rest.length and (
            rows := await wait(
                None, fetch, front, rest.home, rest.priority, rest.sequence, rest.below, RAW_PAGE
            )
        ):
            page = Page(offset, arrived, rows)
            until = page.sequences[-1] + 1 - rest.sequence
            if isinstance(rows, Joined) or all(row[5] for row in rows):
                yield page
            else:
                for found in self._pages(rest.first(until)):
                    yield self._load(found, page)
            rest = rest.without(until)

    def _load(self, rows: list[Found], page: Page) -> list[Taken]:
        load = self._records.load
        return [
            Taken(row.sequence + page.offset, load(row), _was_out(row), page.came_at(row.sequence))
            for row in rows
        ]

    def _pages(self, stretch: Stretch) -> Iterator[list[Found]]:
        first = stretch.sequence
        while rows := self._records.fetch(stretch.home, stretch.priority, first, stretch.below, PAGE):
            yield rows
            if len(rows) < PAGE:
                return
            first = rows[-1].sequence + 1

    def references_of(self, handful: Handful) -> Iterable[Reference]:
        if handful.references is not None:
            return handful.references
        return (self._revive(row) for page in self._pages(handful.stretch) for row in page)

    def _revive(self, row: Found) -> Reference:
        reference = as_reference(row, self._records.load(row))
        reference.state = State.TAKEN
        # Nobody has written down yet that it was taken.
        reference.acquired = max(reference.acquired, 1)
        return reference

    # Writing

    def write_down(self) -> None:
        """See to it that it is there after a restart, as far as it is committed."""
        if self.stored:
            document = ReaderDocument(self.stored, self.queue.name, self.name, self.committed)
            self._definitions.put(self._host, Kind.READER, str(self.stored), document)

    def commit(self, position: int) -> None:
        before = self.committed
        super().commit(position)
        if self.committed > before:
            self.write_down()
            self._make_room()

    def _end(self) -> None:
        super()._end()
        self._in_memory.clear()
        self._records.forget_reader(self)
        self._definitions.delete(self._host, Kind.READER, str(self.stored))

    def resume(self, committed: int, stretches: Iterable[Stretch]) -> None:
        """Go on where it was before a restart."""
        self.taken = self.committed = committed
        last = self.queue.sequence
        for stretch in stretches:
            rest = stretch.without(max(committed + 1 - stretch.position, 0))
            self.handfuls.append(Handful(rest))
            self.taken = rest.last
            last = max(last, rest.below - 1)
        # Their places are still theirs, should they come back.
        self.queue.resume(last, self.queue.waiting.bytes)

    # The memory window

    def _hold(self, handful: Handful) -> None:
        super()._hold(handful)
        if self.stored and handful.references:
            handful.batch = self._records.expect(self)
            handful.weight = _weigh(handful.references)
            self._weight += handful.weight
            self._in_memory.append(handful)

    def take_in_parts(self, rows: int, size: int, now: float) -> Iterator[int]:
        for taken in super().take_in_parts(rows, size, now):
            self._make_room()
            yield taken

    def written(self, batch: int) -> None:
        """Everything up to the batch of this number is in the store."""
        self._written = batch
        self._make_room()

    def _make_room(self) -> None:
        """Let the oldest leave memory until the rest fits; who has no row there yet must wait for it."""
        oldest = self._in_memory
        while oldest:
            handful = oldest[0]
            if handful.stretch.length:
                fits = self._weight <= WINDOW_BYTES
                if fits or handful.batch > self._written or self._keep(handful):
                    return
                handful.references = None
            oldest.popleft()
            self._weight -= handful.weight

    def _keep(self, handful: Handful) -> bool:
        """Give rows to those that have none, being transient; whether there were any."""
        without = [
            reference
            for reference in handful.references or ()
            if not (reference.message.terms.persistent or reference.message.stored)
        ]
        for reference in without:
            self._records.keep(self.stored, reference)
        if without:
            handful.batch = self._records.expect(self)
        return bool(without)


def _in_memory(stretch: Stretch, references: list[Reference]) -> list[Taken]:
    at = stretch.arrived_at
    return [
        Taken(position, reference.message, reference.acquired > 1, at)
        for position, reference in enumerate(references, stretch.position)
    ]


def _was_out(row: Found) -> bool:
    """Whether it was in hand before it was taken; that it was, is written when it comes back."""
    return row.acquired > 1 or row.redelivered > 0


def _weigh(references: list[Reference]) -> int:
    """About how many bytes they take."""
    some = references[:: len(references) // SAMPLES + 1]
    size = sum(reference.message.size for reference in some) // len(some)
    return (size + MESSAGE) * len(references)
