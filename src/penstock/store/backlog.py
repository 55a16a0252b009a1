"""The backlog of a queue in the store: what does not fit its memory window.

It keeps the numbers of what is behind, not the references: they are forgotten once the batch with
their rows is committed, and made anew from the rows when their turn comes.
"""

from __future__ import annotations

from itertools import islice
from math import inf
from typing import TYPE_CHECKING, Final

from penstock.store.lane import Lane
from penstock.store.records import as_reference
from penstock.store.rows import END
from penstock.wiring.reference import State
from penstock.wiring.stretch import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.store.keeper import Keeper
    from penstock.store.port import Store
    from penstock.store.rows import Found, Line
    from penstock.wiring.pieces import Pieces
    from penstock.wiring.reference import Reference

__all__ = ["StoredBacklog"]

#: Rows read at a time: some 0.8 ms of the loop's time (bench/store.py).
PAGE: Final = 256
#: Rows counted at a time: some two milliseconds.
STEP: Final = 20_000
#: References in one run at most: a millisecond of the loop's time, or four if they are weighed.
LONGEST: Final = 4096
#: References given back by one `take_expired`, so that a million that expire at once fit in memory.
MOST_EXPIRED: Final = 1024


class StoredBacklog:
    """Fills the wiring's Backlog port. The broker calls `committed` after each commit that concerns it."""

    def __init__(self, queue: int, store: Store, keeper: Keeper, lines: Iterable[Line] = ()) -> None:
        """A backlog of all that is stored in its lines; for a new queue there are none."""
        self._queue = queue
        self._store = store
        self._keeper = keeper
        self._lanes = {line.priority: Lane(-END, line.last, line.ready) for line in lines if line.ready}
        self._count = sum(lane.stored for lane in self._lanes.values())
        #: None if it is to be looked up.
        self._first: Reference | None = None
        #: The same; it is looked up from `_not_before` on, where it was when it was last known.
        self._expiry: float | None = None if self._count else inf
        self._not_before = -inf

    def __repr__(self) -> str:
        waiting = sum(len(lane.uncommitted) for lane in self._lanes.values())
        return f"<StoredBacklog of queue {self._queue}: {self._count}, {waiting} of them uncommitted>"

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Reference]:
        lanes = [
            (priority, lane.first, lane.below, tuple(lane.uncommitted))
            for priority, lane in sorted(self._lanes.items())
        ]
        for priority, first, below, uncommitted in lanes:
            yield from self._stored(priority, first, below)
            yield from uncommitted

    def holds(self, priority: int) -> bool:
        return priority in self._lanes

    def counts(self) -> dict[int, int]:
        return {priority: len(lane) for priority, lane in self._lanes.items()}

    def looking(self, priority: int, skip: int, limit: int) -> Pieces[list[Reference]]:
        lane = self._lanes[priority]
        found: list[Reference] = []
        if skip < lane.stored:
            first = yield from self._at(priority, lane, skip)
            if self._lanes.get(priority) is not lane:
                return []  # all were taken meanwhile
            if first is not None:
                # Nor are those shown that were: their rows may still be there.
                first = max(first, lane.first)
                stored = self._stored(priority, first, lane.below, page=min(limit, PAGE))
                found += islice(stored, limit)
        waiting = max(skip - lane.stored, 0)
        return found + list(islice(lane.uncommitted, waiting, waiting + limit - len(found)))

    def _at(self, priority: int, lane: Lane, skip: int) -> Pieces[int | None]:
        """The sequence of the one after so many others in the store."""
        place = self._queue, priority
        first = self._store.nth(*place, lane.first, lane.below, 0)
        if first is None or not skip:
            return first
        if lane.last_stored - first + 1 != lane.stored + sum(hole >= first for hole in lane.holes):
            # Others stand in between. Of a hole nobody knows whether its row is still there: by so many,
            # the place is not exact.
            return (yield from self._nth(place, first, lane.below, skip))
        # Every sequence is one of them, or a hole: no need to count a million rows.
        at = first + skip
        for hole in sorted(hole for hole in lane.holes if hole >= first):
            at += hole <= at
        return at

    def _nth(self, place: tuple[int, int], first: int, below: int, skip: int) -> Pieces[int | None]:
        """The same where rows have to be counted."""
        at: int | None = first
        for done in range(0, skip, STEP):
            if done:
                yield
            if at is not None:
                at = self._store.nth(*place, at, below, min(STEP, skip - done))
        return at

    # In

    def put(self, reference: Reference) -> None:
        self._keeper.keep(self._queue, reference)
        priority, sequence = reference.priority, reference.sequence
        lane = self._lanes.get(priority)
        if lane is None:
            lane = self._lanes[priority] = Lane(sequence, sequence - 1)
        lane.append(self._keeper.batch.number, reference)
        self._count += 1
        if self._first is not None and priority < self._first.priority:
            self._first = reference
        if reference.notes is not None:
            self._note_expiry(reference.notes.expires_at)

    def committed(self, batch: int) -> None:
        """Everything put up to the batch of this number is in the store."""
        for lane in self._lanes.values():
            lane.commit(batch)

    def _note_expiry(self, expires_at: float) -> None:
        if self._expiry is not None:
            self._expiry = min(self._expiry, expires_at)
        self._not_before = min(self._not_before, expires_at)

    # Out

    def take(self, limit: int) -> list[Reference]:
        taken: list[Reference] = []
        for priority in sorted(self._lanes):
            if len(taken) == limit:
                break
            taken += self._take_of(priority, limit - len(taken))
        self._left()
        return taken

    def take_run(self, limit: int, size: int, *, weighed: bool) -> Run | None:
        if not self._lanes:
            return None
        priority = min(self._lanes)
        lane = self._lanes[priority]
        count = min(limit, lane.stored, LONGEST)
        if not lane.is_plain or lane.holes or not count:
            return None
        # As long as all that are wanted fit, nobody has to look how large each is.
        largest = lane.largest
        weighed = weighed or largest is None or limit * largest > size
        found, first, last, total = self._run(priority, lane, count, weighed=weighed)
        if not weighed and largest is not None:
            total = found * largest
        if found < count or last - first + 1 != found or total > size:
            return None
        lane.stored -= found
        self._count -= found
        lane.advance(last + 1)
        self._left()
        self._forget_if_empty(priority, lane)
        return Run(priority, first, found, total)

    def _run(self, priority: int, lane: Lane, count: int, *, weighed: bool) -> tuple[int, int, int, int]:
        """The first so many of a lane, as `Store.run` tells of them."""
        if lane.is_whole and not weighed:
            # There is nothing to look up: rows that are counted take 0.4 µs each, and hold the loop up.
            return count, lane.first, lane.first + count - 1, 0
        return self._store.run(self._queue, priority, lane.first, lane.below, count, weighed=weighed)

    def first(self) -> Reference | None:
        if self._first is None and self._count:
            self._first = self._look_up_first()
        return self._first

    def _look_up_first(self) -> Reference | None:
        for priority, lane in sorted(self._lanes.items()):
            stored = self._stored(priority, lane.first, lane.below, page=1) if lane.stored else iter(())
            found = next(stored, None)
            if found is not None or lane.uncommitted:
                return found or lane.uncommitted[0]
        return None

    def pick(self, sequence: int) -> Reference | None:
        for priority, lane in self._lanes.items():
            found = self._find(priority, lane, sequence)
            if found is not None:
                self._take_out(priority, found, gone_with=END)
                return found
        return None

    def purge(self) -> int:
        purged = self._count
        for priority, lane in self._lanes.items():
            for waiting in lane.uncommitted:
                waiting.message.references -= 1
            self._keeper.batch.cleared += [(self._queue, priority, *span) for span in lane.spans()]
        self._lanes.clear()
        self._count = 0
        self._first, self._expiry = None, inf
        return purged

    def _take_of(self, priority: int, limit: int) -> list[Reference]:
        lane = self._lanes[priority]
        page = min(limit, PAGE)
        stored = self._stored(priority, lane.first, lane.below, page=page) if lane.stored else ()
        taken = list(islice(stored, limit))
        # Fewer than there should be: a damaged message was put aside. Those counted are not there.
        left = lane.stored - len(taken) if len(taken) == limit else 0
        self._count -= lane.stored - left
        lane.stored = left
        while lane.uncommitted and len(taken) < limit:
            taken.append(lane.uncommitted.popleft())
            self._count -= 1
        if taken:
            lane.advance(taken[-1].sequence + 1)
        self._forget_if_empty(priority, lane)
        return taken

    def _find(self, priority: int, lane: Lane, sequence: int) -> Reference | None:
        for waiting in lane.uncommitted:
            if waiting.sequence == sequence:
                return waiting
        if not lane.keeps(sequence):
            return None
        return next(self._stored(priority, sequence, sequence + 1, page=1), None)

    def _take_out(self, priority: int, reference: Reference, *, gone_with: int) -> None:
        """From the middle."""
        lane = self._lanes[priority]
        if reference.sequence >= lane.below:
            lane.take_uncommitted(reference)
        else:
            lane.stored -= 1
        lane.holes[reference.sequence] = gone_with
        self._count -= 1
        self._left()
        self._forget_if_empty(priority, lane)

    def _forget_if_empty(self, priority: int, lane: Lane) -> None:
        if not len(lane):
            del self._lanes[priority]

    def _left(self) -> None:
        """Something left: what was first, or expired first, may have been that."""
        self._first = None
        if self._expiry is not None and self._expiry != inf:
            self._not_before = self._expiry
            self._expiry = None

    # Reading

    def _stored(self, priority: int, first: int, below: int, *, page: int = PAGE) -> Iterator[Reference]:
        """What is kept in the store between these, a page at a time."""
        while rows := self._store.fetch(self._queue, priority, first, below, page):
            holes = self._lanes[priority].holes if priority in self._lanes else {}
            for found in rows:
                if found.sequence not in holes:
                    yield self._revive(found)
            if len(rows) < page:
                return
            first = rows[-1].sequence + 1

    def _revive(self, found: Found) -> Reference:
        reference = as_reference(found, self._keeper.load(found))
        reference.state = State.BEHIND
        return reference

    # Time

    def take_expired(self, now: float) -> list[Reference]:
        """At most MOST_EXPIRED of them; `next_expiry` tells that there are more."""
        if self.next_expiry() > now:
            return []
        expired = [reference for reference in self._expiring_uncommitted() if reference.expires_at <= now]
        for found in self._expiring_stored():
            if found.expires_at is None or found.expires_at > now or len(expired) >= MOST_EXPIRED:
                break
            expired.append(self._revive(found))
        for reference in expired:
            # Whoever asked lets them die, in the batch that is being gathered.
            self._take_out(reference.priority, reference, gone_with=self._keeper.batch.number)
        return expired

    def next_expiry(self) -> float:
        if self._expiry is None:
            stored = next(self._expiring_stored(), None)
            at = inf if stored is None or stored.expires_at is None else stored.expires_at
            self._expiry = min(
                (reference.expires_at for reference in self._expiring_uncommitted()), default=at
            )
            self._expiry = min(self._expiry, at)
        return self._expiry

    def _expiring_uncommitted(self) -> Iterator[Reference]:
        for lane in self._lanes.values():
            for waiting in lane.uncommitted:
                if waiting.expires_at != inf:
                    yield waiting

    def _expiring_stored(self) -> Iterator[Found]:
        after = (self._not_before, -1, -1)
        while page := self._store.expiring(self._queue, after, PAGE):
            for found in page:
                lane = self._lanes.get(found.priority)
                if lane is not None and lane.keeps(found.sequence):
                    yield found
            last = page[-1]
            after = (last.expires_at or inf, last.priority, last.sequence)
