from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pytest

from penstock.clock import VirtualClock
from penstock.did.operation_queue.cut_states import ACKED, CUT
from penstock.did.operation_queue.cuts import adopt_cut, nack_cut
from penstock.did.operation_queue.operation import message_of
from penstock.did.operation_queue.tables import cuts
from penstock.did.queues import DomainQueues
from penstock.errors import StoreError
from penstock.messaging.headers import ERROR
from penstock.pipelines.did.writing import desk as desks
from penstock.pipelines.did.writing.desk import AHEAD, AT_ONCE, PATIENCE_S
from penstock.pipelines.did.writing.finishing import TRIES
from penstock.pipelines.did.writing.outcome import Outcome
from penstock.testing import Crash
from tests.did.operation_queue.helpers import PaperBroker, run
from tests.did.operation_queue.mortal import Fuse, MortalBroker, MortalDatabase
from tests.did.operation_queue.support import rows
from tests.pipelines.did.writing.operations import create, one
from tests.pipelines.did.writing.workshop import LONG_S, Workshop

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import Cut

CREATES = [create(f"life{number}") for number in range(12)]


BAD = create("bad", operation_request=b"no request")
BATCH = [*CREATES[:2], BAD, one("update", "unanchored"), *CREATES[2:4]]
MANY = [create(f"many{number}") for number in range(AHEAD + 3)]
UNKNOWN = "nobody has thought of this"
#: Whose verb fails: the executor's, and the driver's.
PARTS = [("executor", "_written"), ("desk._holding", "give_up")]
TO = DomainQueues().destination(DomainQueues().operation)


def states(shop: Workshop) -> list[str]:
    return rows(shop.database, "state", table=cuts)


def spoil(monkeypatch: pytest.MonkeyPatch, shop: Workshop, part: str, verb: str, times: int = 10**9) -> None:
    """Have a part's verb fail the first so many times."""
    whose = attrgetter(part)(shop)
    whole, calls = getattr(whose, verb), count(1)

    def fail(*args: Any) -> Any:
        if next(calls) <= times:
            raise ValueError(UNKNOWN)
        return whole(*args)

    monkeypatch.setattr(whose, verb, fail)


def test_spark_is_given_what_is_due_and_told_what_waits(records: DomainDatabase, tmp_path: Path) -> None:
    shop = Workshop(records, tmp_path, full=5, timeout=60.0)

    async def story() -> None:
        await shop.start()
        await shop.take(CREATES)
        await shop.desk.cut()
        due = await shop.desk.due()
        assert (due.cuts, due.operations, due.waiting) == ([1, 2], 10, 2)
        # Given again, since Spark asks only when it is done with all before.
        assert (await shop.desk.due()).cuts == [1, 2]
        # The rest is due when its oldest has waited long enough.
        shop.clock.advance(60)
        await shop.desk.cut()
        due = await shop.desk.due()
        assert (due.cuts, due.operations, due.waiting) == ([1, 2, 3], 12, 0)

    run(story())


def test_what_is_released_is_cut_at_once_though_the_last_try_was_in_vain(
    records: DomainDatabase, tmp_path: Path
) -> None:
    shop = Workshop(records, tmp_path, full=5, timeout=60.0)
    suffixes = [each.operation.unique_suffix for each in CREATES]

    async def story() -> None:
        await shop.start()
        shop.queue.hold(suffixes)
        await shop.take(CREATES)
        await shop.desk.cut()
        assert states(shop) == []
        shop.queue.release(suffixes)
        await shop.desk.cut()
        assert states(shop) == [CUT, CUT]

    run(story())


def test_who_asks_waits_for_a_cut_but_not_for_long(shop: Workshop) -> None:
    async def story() -> None:
        await shop.start()
        asking = asyncio.create_task(shop.desk.due())
        await asyncio.sleep(0)
        await shop.take(CREATES[:3])
        await shop.desk.cut()
        assert (await asking).cuts == [1]
        await shop.write()
        asking = asyncio.create_task(shop.desk.due())
        await asyncio.sleep(0)
        shop.clock.advance(PATIENCE_S)
        assert (await asking).cuts == []

    run(story())


def test_what_comes_while_others_are_written_is_written_along(
    records: DomainDatabase, tmp_path: Path
) -> None:
    shop = Workshop(records, tmp_path, full=2)

    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:2])
        await shop.desk.cut()
        assert (await shop.desk.due()).cuts == [1]
        assert await shop.desk.more([1]) is None
        await shop.take(CREATES[2:6])
        await shop.desk.cut()
        assert [await shop.desk.more([1]), await shop.desk.more([1, 2])] == [2, 3]
        assert await shop.desk.more([1, 2, 3]) is None
        for number in (1, 2, 3):
            await shop.desk.settle([shop.executor.write(number)])
        # They are told of at once, or with the next, and once.
        assert ((due := await shop.desk.due()).cuts, due.operations) == ([], 4)
        await shop.take(CREATES[8:10])
        await shop.desk.cut()
        assert await shop.desk.more([]) == 4
        await shop.desk.settle([shop.executor.write(4)])
        await shop.take(CREATES[6:8])
        await shop.desk.cut()
        assert [(due.cuts, due.operations) for due in [await shop.desk.due() for _ in range(2)]] == [
            ([5], 4),
            ([5], 2),
        ]

    run(story())


def test_what_is_being_cut_is_waited_for_but_not_for_long(
    records: DomainDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Workshop(records, tmp_path, full=1)
    is_asked, is_free = asyncio.Event(), asyncio.Event()

    async def story() -> None:
        await shop.start()
        whole = shop.queue.cut

        async def cut_slowly() -> Cut | None:
            is_asked.set()
            await is_free.wait()
            return await whole()

        monkeypatch.setattr(shop.queue, "cut", cut_slowly)
        await shop.take(CREATES[:1])
        cutting = asyncio.create_task(shop.desk.cut())
        await is_asked.wait()
        asking = asyncio.create_task(shop.desk.more([]))
        await asyncio.sleep(0)
        shop.clock.advance(PATIENCE_S)
        assert await asking is None
        asking = asyncio.create_task(shop.desk.more([]))
        await asyncio.sleep(0)
        is_free.set()
        assert await asking == 1
        await cutting

    run(story())


def test_one_whose_storage_is_away_is_not_written_along_again(shop: Workshop, tmp_path: Path) -> None:
    async def story() -> None:
        (tmp_path / "cas").write_text("no folder")
        await shop.start()
        await shop.take(CREATES[:1])
        [outcome] = await shop.write()
        assert outcome.failure is not None
        assert await shop.desk.more([]) is None
        shop.clock.advance(60)
        assert await shop.desk.more([1]) is None
        assert await shop.desk.more([]) == 1

    run(story())


def test_no_more_is_cut_than_can_be_worked_on(records: DomainDatabase, tmp_path: Path) -> None:
    shop = Workshop(records, tmp_path, full=1)

    async def story() -> None:
        await shop.start()
        await shop.take([create(f"many{number}") for number in range(AHEAD + 3)])
        await shop.desk.cut()
        due = await shop.desk.due()
        assert (len(due.cuts), due.waiting) == (AT_ONCE, AHEAD + 3 - AT_ONCE)
        assert len(shop.queue) == 3
        await shop.write()
        await shop.desk.cut()
        assert len(shop.queue) == 3, "those that are to be finished count as well"
        while len(shop.queue) or len(shop.desk._unwritten):
            await shop.go_on()

    run(story())
    assert len(shop.anchored()) == AHEAD + 3


def test_a_storage_that_is_away_is_tried_again_later_and_later(shop: Workshop, tmp_path: Path) -> None:
    async def story() -> None:
        (tmp_path / "cas").write_text("no folder")
        await shop.start()
        await shop.take(CREATES[:3])
        [outcome] = await shop.write()
        assert outcome.failure is not None
        assert shop.desk._ready() == []
        first = shop.desk._next_try() - shop.clock.now()
        shop.clock.advance(first)
        await shop.write()
        assert shop.desk._next_try() - shop.clock.now() > first
        (tmp_path / "cas").unlink()
        shop.clock.advance(60)
        await shop.write()
        await shop.finish()

    run(story())
    assert len(shop.anchored()) == 3
    assert states(shop) == [ACKED]


@pytest.mark.parametrize(("part", "verb"), PARTS)
def test_a_cut_that_fails_for_an_unknown_reason_is_passed_by_others_and_posted_anew(
    records: DomainDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, verb: str
) -> None:
    shop = Workshop(records, tmp_path, full=1)
    spoil(monkeypatch, shop, part, verb, TRIES * len(MANY))

    async def story() -> None:
        await shop.start()
        # As many as there may be on the desk: were they kept for ever, no more would be cut.
        await shop.take(MANY)
        while len(shop.anchored()) < len(MANY):
            await shop.go_on()
            shop.clock.advance(60)
            await shop.take()

    run(story())
    assert sorted(shop.anchored()) == sorted(each.id for each in MANY)
    assert set(states(shop)) == {ACKED}
    assert shop.broker.dead == []


@pytest.mark.parametrize(("part", "verb"), PARTS)
def test_a_cut_that_fails_again_and_again_ends_as_dead_letters_with_the_reason(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch, part: str, verb: str
) -> None:
    spoil(monkeypatch, shop, part, verb)

    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:2])
        for _ in range(30 * TRIES):
            await shop.go_on()
            shop.clock.advance(LONG_S)
            await shop.take()

    run(story())
    assert (shop.anchored(), states(shop), shop.desk._unwritten) == ([], [], {})
    assert [each.headers[ERROR] for each in shop.broker.dead] == [f"ValueError: {UNKNOWN}"] * 2


def test_a_cut_that_cannot_be_given_up_now_is_given_up_later(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = shop.database.run

    async def away(work: Any, *rest: Any, **more: Any) -> Any:
        if work is nack_cut:
            raise StoreError("away")
        return await whole(work, *rest, **more)

    spoil(monkeypatch, shop, "executor", "_written")
    monkeypatch.setattr(shop.database, "run", away)

    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:2])
        for _ in range(2 * TRIES):
            await shop.write()
            shop.clock.advance(60)
        assert states(shop) == [CUT]
        monkeypatch.setattr(shop.database, "run", whole)
        await shop.write()
        assert states(shop) == []

    run(story())


def test_a_cut_that_went_on_elsewhere_is_put_down(shop: Workshop) -> None:
    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:1])
        await shop.desk.cut()
        await shop.desk.settle([Outcome(cut=1, is_gone=True)])
        assert shop.desk._unwritten == {}
        # Were it ours after all, it would be found.
        await shop.desk.reopen()
        assert [*shop.desk._unwritten] == [1]

    run(story())


def test_a_cut_that_another_has_adopted_is_not_recorded(shop: Workshop) -> None:
    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:1])
        await shop.desk.cut()
        shop.database.do(adopt_cut, 1, "another")
        await shop.write()

    run(story())
    assert states(shop) == [CUT]
    assert (len(shop.desk.finisher), shop.desk._unwritten) == (0, {})


@pytest.mark.parametrize("is_finished", [False, True])
def test_a_batch_that_fails_after_its_first_cut_is_repeated_and_each_is_anchored_once(
    records: DomainDatabase, tmp_path: Path, *, is_finished: bool
) -> None:
    shop = Workshop(records, tmp_path, full=2)

    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:4])
        await shop.desk.cut()
        given = (await shop.desk.due()).cuts
        assert given == [1, 2]
        # The first is settled as it comes; then Spark fails, and has the very same batch written again.
        await shop.desk.settle([shop.executor.write(1)])
        if is_finished:
            await shop.finish()
        again = [shop.executor.write(number) for number in given]
        assert [each.is_gone for each in again] == [True, False]
        for outcome in again:
            await shop.desk.settle([outcome])
        await shop.finish()

    run(story())
    assert sorted(shop.anchored()) == sorted(each.id for each in CREATES[:4])
    assert states(shop) == [ACKED, ACKED]
    assert shop.desk._unwritten == {}


def test_a_batch_that_spark_repeats_is_recorded_by_the_next_life(
    shop: Workshop, records: DomainDatabase, tmp_path: Path
) -> None:
    async def story() -> None:
        # Given a life that ends when Spark has its cut.
        await shop.start()
        await shop.take(CREATES[:2])
        await shop.desk.cut()
        await shop.queue._running.heart.stop()
        # When the next one's Spark repeats the batch, twice.
        other = Workshop(records, tmp_path, shop.broker, me="other")
        await other.start()
        outcome = other.executor.write(1)
        await other.desk.settle([outcome])
        await other.desk.settle([outcome])
        assert len(other.desk.finisher) == 1
        await other.finish()
        # Then it is done with, however often it is told.
        await other.desk.settle([outcome, other.executor.write(1)])
        assert len(other.desk.finisher) == 0

    run(story())
    assert len(shop.anchored()) == 2


def test_a_cut_that_is_reopened_twice_at_once_is_finished_once(shop: Workshop) -> None:
    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:1])
        await shop.desk.cut()
        # Given two who hold the cut, one of whom has recorded it.
        twin = await shop.queue.reopen_cut(1)
        await shop.write()
        shop.desk._take(twin)
        assert (len(shop.desk.finisher), shop.desk._unwritten) == (1, {})
        await shop.finish()

    run(story())
    assert len(shop.anchored()) == 1


@pytest.mark.parametrize("error", [StoreError, RuntimeError])
def test_while_the_database_is_away_the_desk_waits(
    records: DomainDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    shop = Workshop(records, tmp_path)
    whole = records.run

    async def away(*_: Any, **__: Any) -> Any:
        raise error("away")

    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:1])
        running = asyncio.create_task(shop.desk.run())
        monkeypatch.setattr(records, "run", away)
        for _ in range(50):
            shop.clock.advance(0.1)
            await asyncio.sleep(0.001)
        assert not running.done()
        monkeypatch.setattr(records, "run", whole)
        while not shop.desk._unwritten:
            shop.clock.advance(desks.AWAY_S)
            await asyncio.sleep(0.001)
        # And what was written, and could not be recorded, is written again.
        outcome = shop.executor.write(1)
        monkeypatch.setattr(records, "run", away)
        with suppress(RuntimeError):
            await shop.desk.settle([outcome])
            assert [*shop.desk._unwritten] == [1]
        monkeypatch.setattr(records, "run", whole)
        running.cancel()
        await asyncio.wait([running])

    run(story())


def test_many_that_are_held_do_not_make_it_try_all_the_time(records: DomainDatabase, tmp_path: Path) -> None:
    shop = Workshop(records, tmp_path, full=2)

    async def story() -> None:
        await shop.start()
        await shop.take(CREATES[:3])
        shop.queue.hold(each.operation.unique_suffix for each in CREATES)
        assert shop.desk._is_due()
        await shop.desk.cut()
        assert not shop.desk._is_due()
        shop.clock.advance(1.0)
        assert shop.desk._is_due()

    run(story())


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("last", range(1, 15))
def test_whichever_step_is_the_last_all_is_anchored_once(
    records: DomainDatabase,
    tmp_path: Path,
    last: int,
    is_done: bool,  # noqa: FBT001  a column of the table
) -> None:
    """Of a life: a transaction or a publish, done or not. Files that are written are nobody's step."""
    clock = VirtualClock(1_000_000.0)
    broker = PaperBroker(clock)

    async def live(me: str, fuse: Fuse) -> Workshop:
        shop = Workshop(MortalDatabase(records.engine, fuse), tmp_path, MortalBroker(broker, fuse), me=me)
        try:
            await shop.start()
            shop.broker.take, shop.broker.give_back = broker.take, broker.give_back  # type: ignore[method-assign]
            await shop.take()
            await shop.go_on()
        finally:
            if shop.queue._maybe_running is not None:
                await shop.queue._running.heart.stop()
        return shop

    async def story() -> Workshop:
        await broker.publish_many([(message_of(each), TO) for each in BATCH])
        fuse = Fuse()
        fuse.set((last, is_done))
        with suppress(Crash):
            await live("first", fuse)
        for number in range(3):
            clock.advance(LONG_S)
            shop = await live(f"life-{number}", Fuse())
        return shop

    shop = run(story())
    assert sorted(shop.anchored()) == sorted(each.id for each in CREATES[:4])
    # A dead letter that was published just before the end is published again: it may be there twice.
    assert {each.id for each in broker.dead} == {BAD.id}
