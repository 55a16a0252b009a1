"""Shelves under any order of events: one claim at a time, and no value older than what was forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from penstock.workers.cached import DatabaseShelf, MemoryShelf
from penstock.workers.cached.shelf import Claim, Entry

if TYPE_CHECKING:
    from penstock.workers.cached import Shelf

KEYS = st.sampled_from([Entry("starmap", "sol"), Entry("starmap", "vega")])
#: Values are facts, each a byte.
ROOM = 2


class Work(NamedTuple):
    """A worker's: what it makes, under which claim, and from which fact."""

    entry: Entry
    token: str
    fact: int


class OnceMachine(RuleBasedStateMachine):
    """Askers, workers and those who forget, in any order, and time."""

    works: Bundle[Work] = Bundle("works")

    def __init__(self) -> None:
        super().__init__()
        self.shelf: Shelf = self.made()
        self.now = 0.0
        #: What is true of each key, and what its value may be at the oldest.
        self.facts: dict[Entry, int] = {}
        self.claims: dict[Entry, Claim] = {}
        self.kept: dict[Entry, tuple[int, float]] = {}
        #: The job that works under the claim.
        self.makers: dict[Entry, str] = {}

    def made(self) -> Shelf:
        return MemoryShelf()

    @rule(seconds=st.sampled_from([1.0, 5.0, 20.0]))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    @rule(entry=KEYS)
    def ask(self, entry: Entry) -> None:
        found = self.shelf.claim(entry, now=self.now, until=self.now + 10)
        self.judge(entry, found, is_new=isinstance(found, Claim) and found.is_own)

    @rule(target=works, entry=KEYS, maker=st.sampled_from("ab"))
    def begin(self, entry: Entry, maker: str) -> Work:
        found = self.shelf.claim(entry, now=self.now, until=self.now + 30, maker=maker)
        before = self.claims.get(entry)
        is_new = isinstance(found, Claim) and (before is None or before.token != found.token)
        self.judge(entry, found, is_new=is_new)
        if isinstance(found, Claim):
            assert found.is_own == (self.makers.setdefault(entry, maker) == maker), "one job at a time"
        return Work(entry, found.token if isinstance(found, Claim) else "", self.facts.get(entry, 0))

    @rule(work=works)
    def finish(self, work: Work) -> None:
        value, until = bytes([work.fact % 256]), self.now + 40
        claim = self.claims.get(work.entry)
        is_kept = self.shelf.keep(work.entry, work.token, value, now=self.now, expires_at=until, room=ROOM)
        if is_kept:
            assert claim is not None
            assert claim.token == work.token, "what was forgotten is not kept"
            self.kept[work.entry] = (work.fact, until)

    @rule(work=works)
    def give_up(self, work: Work) -> None:
        self.shelf.release(work.entry, work.token)
        claim = self.claims.get(work.entry)
        if claim is not None and claim.token == work.token and work.entry not in self.kept:
            del self.claims[work.entry]

    @rule(entry=KEYS)
    def change(self, entry: Entry) -> None:
        self.facts[entry] = self.facts.get(entry, 0) + 1
        self.shelf.forget(entry)
        self.claims.pop(entry, None)
        self.kept.pop(entry, None)

    def judge(self, entry: Entry, found: bytes | Claim, *, is_new: bool) -> None:
        """Hold what the shelf says against what may be."""
        fact, until = self.kept.get(entry, (0, 0.0))
        if not isinstance(found, Claim):
            assert until > self.now, "what has expired is not there"
            assert found == bytes([fact % 256])
            assert fact == self.facts.get(entry, 0), "nobody gets what was forgotten"
            return
        claim = self.claims.get(entry)
        if is_new:
            self.makers.pop(entry, None)
            is_held = claim is not None and claim.until > self.now and entry not in self.kept
            assert not is_held, "one claim at a time"
            self.kept.pop(entry, None)
        else:
            assert claim is not None
            assert claim.token == found.token
        self.claims[entry] = found

    @invariant()
    def values_fit_in_the_room(self) -> None:
        if isinstance(self.shelf, MemoryShelf):
            assert sum(self.shelf._sizes.values()) <= ROOM


class DatabaseMachine(OnceMachine):
    """The same in SQL."""

    def made(self) -> Shelf:
        return DatabaseShelf("sqlite://")

    def teardown(self) -> None:
        assert isinstance(self.shelf, DatabaseShelf)
        self.shelf.close()


TestInMemory = OnceMachine.TestCase
TestInMemory.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestInDatabase = DatabaseMachine.TestCase
TestInDatabase.settings = settings(max_examples=15, stateful_step_count=30, deadline=None)
