"""READER: a named competitor of a queue's consumers, which takes messages under positions of its own.

What it has taken has left the queue: it neither waits nor expires there. It stays, to be read again by
position, until it is committed; if the reader goes before that, it goes back to its place. Who reads,
and where what does not fit memory is kept, is not known here.
"""

from __future__ import annotations

from bisect import bisect_right
from math import inf
from typing import TYPE_CHECKING

from penstock.errors import CommitAhead
from penstock.wiring.connection import Connection
from penstock.wiring.drawing import draw
from penstock.wiring.lease import Lease
from penstock.wiring.reference import State
from penstock.wiring.stretch import Run, cut, cut_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.wiring.drawing import Drawn
    from penstock.wiring.queue import Queue
    from penstock.wiring.reference import Reference
    from penstock.wiring.stretch import Handful

__all__ = ["Reader"]

GONE = State.GONE


class Reader:
    """One reader of one queue."""

    def __init__(self, name: str, queue: Queue) -> None:
        self.name = name
        self.queue = queue
        #: Positions up to this one are done with.
        self.committed = 0
        #: The last position given; none is given twice.
        self.taken = 0
        #: Its number in the store, 0 if it has none.
        self.stored = 0
        #: What is taken and not committed, in order of position.
        self.handfuls: list[Handful] = []
        #: Whether it is gone.
        self.ended = False
        self._lease = Lease()
        self._candidate = Connection(f"reader {name!r}").open_ledger().getter(queue, acks=True)

    def __repr__(self) -> str:
        return f"<Reader {self.name!r} of {self.queue.address!r}: {self.committed} of {self.taken} committed>"

    # Looking

    @property
    def waiting(self) -> int:
        """How many are ready in the queue, for it or for others."""
        return self.queue.ready

    @property
    def uncommitted(self) -> int:
        """How many positions are taken and not committed."""
        return self.taken - self.committed

    @property
    def oldest_at(self) -> float | None:
        """When the oldest came of what is not committed or waits, about; None if there is nothing."""
        if self.handfuls:
            return self.handfuls[0].stretch.arrived_at
        head, tally = self.queue.waiting.first(), self.queue.tally
        # What came after the last mark came after that.
        return None if head is None else tally.came_at(head.sequence, tally.mark_at)

    def between(self, start: int, end: int) -> list[Handful]:
        """What holds positions after `start` up to `end`, if any of them are left."""
        handfuls = self.handfuls
        first = bisect_right(handfuls, start, key=lambda handful: handful.stretch.last)
        below = bisect_right(handfuls, end, key=lambda handful: handful.stretch.position)
        return handfuls[first:below]

    # Holding

    def lease(self, holder: str, seconds: float, now: float) -> None:
        """Hold the reader for so long from now, or longer than before; for no time at all, let go of it.

        Raises:
            ReaderInUse: somebody else holds it.
        """
        self._lease.grant(f"reader {self.name!r} of queue {self.queue.address!r}", holder, seconds, now)
        self.queue.use(now)

    def check_holder(self, holder: str, now: float) -> None:
        """Let pass who holds the reader, and anybody while nobody does.

        Raises:
            ReaderInUse: somebody else holds it.
        """
        self._lease.check(f"reader {self.name!r} of queue {self.queue.address!r}", holder, now)

    # Taking

    def take(self, rows: int, size: int, now: float) -> int:
        """Take messages off the queue's head; the last position given.

        Args:
            rows: so many at most.
            size: bytes of bodies at most, but one message in any case.
        """
        for _ in self.take_in_parts(rows, size, now):
            pass
        return self.taken

    def take_in_parts(self, rows: int, size: int, now: float) -> Iterator[int]:
        """The same, and after each part the last position given: others may have their turn then."""
        self.queue.use(now)
        for piece in draw(self.queue, self._candidate, rows, size, now):
            for handful in self._cut(piece, now):
                self._hold(handful)
            yield self.taken
            if self.ended:
                # Whoever had his turn has deleted it.
                return

    def _cut(self, piece: Drawn, now: float) -> Iterator[Handful]:
        queue, position = self.queue, self.taken + 1
        if isinstance(piece, Run):
            return cut_run(piece, position, queue.tally, now, queue.stored)
        # Rows in the queue's line stay there until they are gone, whoever has them; others have none there,
        # or stand beside it, and get their place with the reader.
        is_plain = all(reference.notes is None and reference.message.terms.persistent for reference in piece)
        home = queue.stored if is_plain else self.stored
        return cut(piece, position, queue.tally, now, home, in_order=queue.waiting.groups is None)

    def _hold(self, handful: Handful) -> None:
        self.handfuls.append(handful)
        self.taken = handful.stretch.last
        if self.queue.journal is not None and self.stored:
            self.queue.journal.taken.append((self, handful.stretch))

    # Letting go

    def commit(self, position: int) -> None:
        """Everything up to this position is done with, for ever; to go back is no change.

        Raises:
            CommitAhead: it is not taken yet.
        """
        if position > self.taken:
            raise CommitAhead(
                f"reader {self.name!r} of queue {self.queue.address!r} has taken {self.taken}: "
                f"it cannot commit {position}"
            )
        done = 0
        for handful in self.between(self.committed, position):
            stretch = handful.stretch.first(position - handful.stretch.position + 1)
            _forget(handful.drop(stretch.length))
            if self.queue.journal is not None and self.stored:
                self.queue.journal.committed.append((self, stretch))
            done += not handful.stretch.length
        del self.handfuls[:done]
        self.queue.tally.acked += max(position - self.committed, 0)
        self.committed = max(position, self.committed)

    def give_back(self, now: float) -> None:
        """It goes: what is not committed returns to its place in the queue, as delivered before."""
        for _ in self.give_back_in_parts(now):
            pass

    def give_back_in_parts(self, now: float) -> Iterator[None]:
        """The same, and after each part others may have their turn; but it must come to its end."""
        self._leave()
        queue, fresh = self.queue, self._take_notes_back()
        while self.handfuls:
            handful = self.handfuls.pop(0)
            # What is noted as taken, and not written yet, has never left the queue for the store.
            if queue.journal is not None and self.stored and handful.stretch.position < fresh:
                queue.journal.given_back.append((self, handful.stretch))
            for reference in self.references_of(handful):
                self._return(reference, now, is_fresh=handful.stretch.position >= fresh)
            queue.set_alarm()
            yield
        if not queue.destroyed:
            self._end()

    def let_go(self) -> None:
        """The queue goes, and what was taken from it too."""
        for handful in self.handfuls:
            _forget(handful.references or ())
        self._end()

    def references_of(self, handful: Handful) -> Iterable[Reference]:
        """What it holds, from wherever it is."""
        return handful.references or ()

    def _leave(self) -> None:
        """Nobody finds it any more."""
        self.ended = True
        if self.queue.readers.get(self.name) is self:
            del self.queue.readers[self.name]
        self.queue.leaving.add(self)

    def _end(self) -> None:
        self._leave()
        self.queue.leaving.discard(self)
        self.handfuls.clear()
        if self.queue.journal is not None and self.stored:
            self.queue.journal.ended.append(self)

    def _return(self, reference: Reference, now: float, *, is_fresh: bool) -> None:
        queue, notes = self.queue, reference.noted()
        # Others like it may have gone behind the memory window since: it does not stand in that line again.
        notes.aside = True
        if not (is_fresh or reference.message.terms.persistent):
            # A row it may have had, for want of room, goes with the reader.
            reference.message.stored = 0
        if notes.expires_at != inf:
            queue.timers.expire(reference, notes.expires_at)
        queue.take_back(reference, now)

    def _take_notes_back(self) -> float:
        """Of what is noted as taken leave only what is committed; the first position that was noted."""
        journal = self.queue.journal
        if journal is None:
            return inf
        mine = [stretch for reader, stretch in journal.taken if reader is self]
        if mine:
            journal.taken = [noted for noted in journal.taken if noted[0] is not self]
            done = [stretch.first(self.committed - stretch.position + 1) for stretch in mine]
            journal.taken += [(self, stretch) for stretch in done if stretch.length > 0]
        return mine[0].position if mine else inf


def _forget(references: Iterable[Reference]) -> None:
    for reference in references:
        reference.state = GONE
        reference.message.references -= 1
