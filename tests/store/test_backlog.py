"""The backlog in the store: the wiring's contract, and what is special about commits that come later."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from penstock.store import Line, MemoryStore, SqliteStore, StoredBacklog
from penstock.store import backlog as backlog_module
from penstock.wiring import Backlog, MemoryBacklog, Message, Reference, State, Terms
from penstock.wiring.pieces import at_once
from penstock.wiring.stretch import Run
from tests.store.support import Clerk, fetched

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from penstock.store import Store

QUEUE = 1


def newcomer(sequence: int, priority: int = 0, expires_at: float = inf) -> Reference:
    """A reference as it comes to stand behind the window."""
    made = Reference(Message(b"body %d" % sequence, "work", terms=Terms(priority=priority)), sequence)
    made.message.references = 1
    made.state = State.BEHIND
    if expires_at != inf:
        made.noted().expires_at = expires_at
    return made


def persistent(sequence: int) -> Reference:
    """One of which a row says all."""
    made = newcomer(sequence)
    made.message.terms = Terms(persistent=True)
    return made


def told(found: Reference | None) -> tuple[object, ...] | None:
    """All that a reference says."""
    if found is None:
        return None
    counts = (found.acquired, found.failed, found.redelivered, found.message.references)
    place = (found.sequence, found.priority, found.expires_at, found.state)
    return bytes(found.message.body), found.message.destination, counts, place


def sequences(references: Iterable[Reference]) -> list[int]:
    return [found.sequence for found in references]


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made: Store = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path)
    yield made
    made.close()


@pytest.fixture
def clerk(store: Store) -> Clerk:
    return Clerk(store)


@pytest.fixture
def backlog(store: Store, clerk: Clerk) -> StoredBacklog:
    return StoredBacklog(QUEUE, store, clerk)


def put(backlog: Backlog, *references: Reference) -> None:
    for reference in references:
        backlog.put(reference)


# Commits


def test_it_fills_the_port() -> None:
    made: Backlog = StoredBacklog(QUEUE, MemoryStore(), Clerk(MemoryStore()))
    assert repr(made) == "<StoredBacklog of queue 1: 0, 0 of them uncommitted>"


def test_until_its_commit_a_reference_is_kept_in_memory(backlog: StoredBacklog, clerk: Clerk) -> None:
    first, second = newcomer(1), newcomer(2)
    put(backlog, first, second)
    assert repr(backlog) == "<StoredBacklog of queue 1: 2, 2 of them uncommitted>"
    assert backlog.first() is first
    assert backlog.take(1) == [first]
    clerk.commit(backlog)
    assert repr(backlog) == "<StoredBacklog of queue 1: 1, 0 of them uncommitted>"
    (found,) = backlog.take(9)
    assert (told(found), found is second) == (told(second), False)


def test_a_commit_of_an_earlier_batch_leaves_later_ones_in_memory(
    backlog: StoredBacklog, clerk: Clerk
) -> None:
    put(backlog, newcomer(1))
    clerk.commit()
    later = newcomer(2)
    put(backlog, later)
    backlog.committed(1)
    assert repr(backlog) == "<StoredBacklog of queue 1: 2, 1 of them uncommitted>"
    taken = backlog.take(9)
    assert (sequences(taken), taken[1] is later) == ([1, 2], True)


def test_a_row_that_is_written_but_not_yet_told_of_comes_once(backlog: StoredBacklog, clerk: Clerk) -> None:
    # Given a batch that is committed in the writer's thread, and the loop does not know it yet.
    put(backlog, newcomer(1), newcomer(2))
    clerk.commit()
    # Then nothing comes twice, before and after it is told.
    assert sequences(backlog) == [1, 2]
    assert sequences(backlog.take(1)) == [1]
    backlog.committed(1)
    assert (len(backlog), sequences(backlog.take(9)), len(backlog)) == (1, [2], 0)


def test_what_was_taken_stays_away_while_its_row_is_still_there(backlog: StoredBacklog, clerk: Clerk) -> None:
    put(backlog, *(newcomer(number, priority=number % 2) for number in range(1, 9)))
    clerk.commit(backlog)
    assert sequences(backlog.take(3)) == [2, 4, 6]
    assert backlog.pick(3) is not None
    assert (sequences(backlog), len(backlog)) == ([8, 1, 5, 7], 4)
    assert sequences(backlog.take(9)) == [8, 1, 5, 7]
    assert (backlog.holds(0), backlog.holds(1), backlog.first()) == (False, False, None)


@pytest.mark.parametrize(("numbers", "looks"), [([1, 2, 3, 4], 0), ([1, 2, 3, 5], 1)])
def test_a_run_is_looked_for_only_if_others_may_stand_in_between(
    backlog: StoredBacklog,
    clerk: Clerk,
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    numbers: list[int],
    looks: int,
) -> None:
    asked: list[object] = []
    look = store.run

    def watched(*args: Any, **how: Any) -> tuple[int, int, int, int]:
        asked.append(args)
        return look(*args, **how)

    monkeypatch.setattr(store, "run", watched)
    put(backlog, *(persistent(number) for number in numbers))
    clerk.commit(backlog)
    assert backlog.take_run(3, 1000, weighed=False) == Run(0, 1, 3, 3 * len(b"body 1"))
    assert (len(asked), sequences(backlog), len(backlog)) == (looks, numbers[3:], 1)


def test_one_picked_before_its_commit_does_not_come_back_with_it(
    backlog: StoredBacklog, clerk: Clerk
) -> None:
    put(backlog, newcomer(1), newcomer(2), newcomer(3))
    assert told(backlog.pick(2)) == told(newcomer(2))
    clerk.commit(backlog)
    assert (sequences(backlog), len(backlog), backlog.pick(2)) == ([1, 3], 2, None)


def test_it_reads_page_after_page(
    backlog: StoredBacklog, clerk: Clerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog_module, "PAGE", 4)
    put(backlog, *(newcomer(number) for number in range(1, 31)))
    clerk.commit(backlog)
    backlog.pick(6)
    assert sequences(backlog) == [*range(1, 6), *range(7, 31)]
    assert sequences(backlog.take(10)) == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11]
    assert sequences(backlog.take(99)) == list(range(12, 31))


def test_a_look_goes_on_while_commits_come(backlog: StoredBacklog, clerk: Clerk) -> None:
    put(backlog, newcomer(1))
    clerk.commit(backlog)
    put(backlog, newcomer(2))
    looking = iter(backlog)
    assert next(looking).sequence == 1
    clerk.commit(backlog)
    assert sequences(looking) == [2]


@pytest.mark.parametrize("apart", [1, 3])
@pytest.mark.parametrize("committed", [0, 6, 10])
def test_a_position_is_found_whether_sequences_are_dense_or_not(
    backlog: StoredBacklog, clerk: Clerk, apart: int, committed: int
) -> None:
    numbers = [1 + apart * at for at in range(10)]
    put(backlog, *map(newcomer, numbers[:committed]))
    clerk.commit(backlog)
    put(backlog, *map(newcomer, numbers[committed:]))
    for skip in (0, 1, 5, 6, 9, 10):
        assert sequences(at_once(backlog.looking(0, skip, 3))) == numbers[skip : skip + 3]


def test_a_position_does_not_count_what_was_taken_out_before_it(backlog: StoredBacklog, clerk: Clerk) -> None:
    put(backlog, *map(newcomer, range(1, 11)))
    clerk.commit(backlog)
    for sequence in (2, 5):
        backlog.pick(sequence)
    left = [1, 3, 4, 6, 7, 8, 9, 10]
    assert [sequences(at_once(backlog.looking(0, skip, 1))) for skip in range(9)] == [
        *([number] for number in left),
        [],
    ]


def test_only_newcomers_are_put(backlog: StoredBacklog) -> None:
    put(backlog, newcomer(5))
    with pytest.raises(ValueError, match="5 was here before"):
        backlog.put(newcomer(4))


# Starting again


def test_a_backlog_begins_with_all_that_is_stored(store: Store, backlog: StoredBacklog, clerk: Clerk) -> None:
    put(backlog, newcomer(1), newcomer(2, expires_at=7.0), newcomer(3, priority=4))
    clerk.commit(backlog)
    again = StoredBacklog(QUEUE, store, Clerk(store), store.lines())
    assert (len(again), sequences(again), again.next_expiry()) == (3, [1, 2, 3], 7.0)
    assert (again.holds(0), again.holds(4), again.holds(9)) == (True, True, False)
    again.put(newcomer(4))
    assert sequences(again.take(9)) == [1, 2, 4, 3]


def test_it_recovers_from_a_count_that_is_too_high(store: Store, clerk: Clerk) -> None:
    # Given a message that is damaged, and was put aside after it was counted.
    made = StoredBacklog(QUEUE, store, clerk, [Line(QUEUE, 0, 3, 0, 3)])
    put(made, newcomer(4))
    assert (len(made), sequences([made.first() or newcomer(0)])) == (4, [4])
    assert (sequences(made.take(9)), len(made), made.first(), made.take(9)) == ([4], 0, None, [])


def test_a_count_without_a_row_has_no_first(store: Store, clerk: Clerk) -> None:
    made = StoredBacklog(QUEUE, store, clerk, [Line(QUEUE, 0, 3, 0, 3)])
    assert made.first() is None


# Purging


def test_a_purge_spares_what_was_taken(store: Store, backlog: StoredBacklog, clerk: Clerk) -> None:
    # Given two in hand, one from the front and one from the middle.
    put(backlog, *(newcomer(number) for number in range(1, 6)))
    clerk.commit(backlog)
    backlog.take(1)
    backlog.pick(3)
    waiting = newcomer(6)
    put(backlog, waiting)
    # When the queue is purged.
    assert backlog.purge() == 4
    put(backlog, newcomer(7))
    clerk.commit(backlog)
    while store.tidy():
        pass
    # Then these two are still stored.
    assert (fetched(store), waiting.message.references) == ([1, 3, 7], 0)
    assert (len(backlog), sequences(backlog), backlog.next_expiry()) == (1, [7], inf)


# Time


def test_a_million_that_expire_at_once_come_in_pieces(
    backlog: StoredBacklog, clerk: Clerk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog_module, "MOST_EXPIRED", 10)
    put(backlog, *(newcomer(number, expires_at=5.0) for number in range(1, 26)))
    clerk.commit(backlog)
    assert [len(backlog.take_expired(5.0)), len(backlog), backlog.next_expiry()] == [10, 15, 5.0]
    assert [len(backlog.take_expired(9.0)) for _ in range(3)] == [10, 5, 0]
    assert backlog.next_expiry() == inf


def test_holes_of_the_expired_are_forgotten_with_their_rows(backlog: StoredBacklog, clerk: Clerk) -> None:
    put(backlog, newcomer(1), newcomer(2, expires_at=5.0), newcomer(3))
    clerk.commit(backlog)
    clerk.settle(QUEUE, backlog.take_expired(6.0))
    assert backlog._lanes[0].holes == {2: 2}
    assert sequences(backlog) == [1, 3]
    clerk.commit(backlog)
    assert backlog._lanes[0].holes == {}
    assert sequences(backlog) == [1, 3]


def test_what_is_in_hand_and_over_its_time_is_not_expired_here(backlog: StoredBacklog, clerk: Clerk) -> None:
    put(backlog, newcomer(1, expires_at=5.0), newcomer(2, expires_at=6.0))
    clerk.commit(backlog)
    backlog.take(1)
    assert (backlog.next_expiry(), sequences(backlog.take_expired(9.0)), backlog.next_expiry()) == (
        6.0,
        [2],
        inf,
    )


def test_a_newcomer_may_be_the_next_to_expire(backlog: StoredBacklog, clerk: Clerk) -> None:
    put(backlog, newcomer(1, expires_at=10.0), newcomer(2, expires_at=20.0))
    clerk.commit(backlog)
    assert backlog.next_expiry() == 10.0
    backlog.take(1)
    put(backlog, newcomer(3, expires_at=5.0))
    clerk.commit(backlog)
    assert backlog.next_expiry() == 5.0


# Whatever happens in whatever order, it is like one in memory


class LikeMemory(RuleBasedStateMachine):
    """A stored backlog and one in memory are told the same and say the same."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.clerk = Clerk(self.store)
        self.stored = StoredBacklog(QUEUE, self.store, self.clerk)
        self.memory = MemoryBacklog()
        self.last = 0
        self.now = 0.0
        self.written: list[int] = []

    @rule(priority=st.integers(0, 2), lives=st.sampled_from([inf, inf, 1.0, 3.0]), noted=st.booleans())
    def put(self, priority: int, lives: float, *, noted: bool) -> None:
        self.last += 1
        for backlog in (self.stored, self.memory):
            reference = newcomer(self.last, priority, self.now + lives)
            if noted:
                notes = reference.noted()
                reference.acquired, notes.failed, notes.redelivered = 3, 1, 2
            backlog.put(reference)

    @rule()
    def write(self) -> None:
        self.written.append(self.clerk.batch.number)
        self.clerk.commit()

    @precondition(lambda self: self.written)
    @rule()
    def tell(self) -> None:
        self.stored.committed(self.written.pop())
        self.written.clear()

    @rule(limit=st.integers(0, 5))
    def take(self, limit: int) -> None:
        taken = self.stored.take(limit)
        assert list(map(told, taken)) == list(map(told, self.memory.take(limit)))
        self.clerk.settle(QUEUE, taken[::2])

    @rule(back=st.integers(0, 9))
    def pick(self, back: int) -> None:
        assert told(self.stored.pick(self.last - back)) == told(self.memory.pick(self.last - back))

    @rule(passed=st.sampled_from([0.0, 1.0, 2.0]))
    def expire(self, passed: float) -> None:
        self.now += passed
        expired = self.stored.take_expired(self.now)
        assert sorted(map(told, expired), key=str) == sorted(
            map(told, self.memory.take_expired(self.now)), key=str
        )
        self.clerk.settle(QUEUE, expired)

    @rule()
    def purge(self) -> None:
        assert self.stored.purge() == self.memory.purge()

    @invariant()
    def alike(self) -> None:
        assert len(self.stored) == len(self.memory)
        assert told(self.stored.first()) == told(self.memory.first())
        assert self.stored.next_expiry() == self.memory.next_expiry()
        assert list(map(told, self.stored)) == list(map(told, self.memory))
        assert [self.stored.holds(priority) for priority in range(3)] == [
            self.memory.holds(priority) for priority in range(3)
        ]


LikeMemory.TestCase.settings = settings(stateful_step_count=40)
test_it_is_like_one_in_memory = LikeMemory.TestCase


@pytest.mark.parametrize(("taken", "left"), [(0, [35, 37]), (18, [37, 39]), (20, [])])
def test_a_position_among_others_is_sought_in_pieces(
    backlog: StoredBacklog, clerk: Clerk, monkeypatch: pytest.MonkeyPatch, taken: int, left: list[int]
) -> None:
    monkeypatch.setattr(backlog_module, "STEP", 3)
    numbers = list(range(1, 41, 2))
    put(backlog, *map(newcomer, numbers))
    clerk.commit(backlog)
    for skip in (1, 3, 10, 19, 20):
        assert sequences(at_once(backlog.looking(0, skip, 1))) == numbers[skip : skip + 1]
    work = backlog.looking(0, 17, 2)
    for _ in range(5):
        next(work)
    # Whoever has their turn in between may take what is sought.
    backlog.take(taken)
    assert sequences(at_once(work)) == left
