from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.operation_queue.cut_states import ACKED, ANCHORED, FILES
from penstock.did.operation_queue.cuts import ack_cut, adopt_cut
from penstock.did.operation_queue.tables import cuts, operations
from penstock.errors import (
    CutLost,
    NotConnected,
    PreviousUnknown,
    StoreError,
    Unavailable,
    WitnessesNotFound,
)
from penstock.messaging.headers import ERROR
from penstock.pipelines.did.writing.finishing import TRIES, has_files
from tests.did.operation_queue.helpers import run
from tests.did.operation_queue.support import rows
from tests.pipelines.did.writing.operations import create, one
from tests.pipelines.did.writing.workshop import LONG_S

if TYPE_CHECKING:
    from penstock.did.operation_queue import Cut
    from tests.pipelines.did.writing.workshop import Workshop

FIRST, SECOND, THIRD = create("a"), create("b"), create("c")


async def written(shop: Workshop) -> Cut:
    """A cut of two operations whose files are recorded; it is in the finisher's line."""
    await shop.start()
    await shop.take([FIRST, SECOND])
    await shop.desk.cut()
    [found] = shop.desk._unwritten.values()
    await shop.write()
    assert found.cut.state == FILES
    return found.cut


def states(shop: Workshop) -> list[str]:
    return rows(shop.database, "state", table=cuts)


def test_a_batch_is_anchored_and_acked(shop: Workshop) -> None:
    async def story() -> None:
        await written(shop)
        await shop.finish()

    run(story())
    assert sorted(shop.anchored()) == sorted([FIRST.id, SECOND.id])
    assert states(shop) == [ACKED]


def test_a_batch_is_anchored_as_it_was_drafted_with_its_files(shop: Workshop) -> None:
    async def story() -> None:
        await shop.start()
        await shop.take([FIRST, SECOND])
        [outcome] = await shop.write()
        shop.anchors.errors = [ValueError("nobody has thought of this")]
        await until_finished(shop)
        # The second time, too.
        assert shop.anchors.drafts == {outcome.cut: outcome.draft}
        assert outcome.draft is not None
        assert not shop.desk.finisher._drafts

    run(story())


def test_of_a_batch_that_was_put_down_nothing_is_drafted(shop: Workshop) -> None:
    async def story() -> None:
        cut = await written(shop)
        shop.anchors.errors = [CutLost("its answer was lost")]
        await shop.finish()
        await shop.go_on()
        assert shop.anchors.drafts == {cut.id: None}

    run(story())
    assert states(shop) == [ACKED]


def test_a_cut_with_nothing_for_a_batch_is_acked_without_an_anchor(shop: Workshop) -> None:
    async def story() -> None:
        await shop.start()
        await shop.take([create("bad", operation_request=b"no request")])
        await shop.write()
        shop.anchors.errors = [AssertionError("there is nothing to anchor")]
        await shop.finish()

    run(story())
    assert (shop.anchored(), states(shop)) == ([], [ACKED])
    assert [str(each.headers[ERROR])[:7] for each in shop.broker.dead] == ["no JSON"]


@pytest.mark.parametrize("error", [StoreError, Unavailable, NotConnected])
def test_while_something_is_away_it_is_tried_again_and_the_others_wait(
    shop: Workshop, error: type[Exception]
) -> None:
    async def story() -> None:
        cut = await written(shop)
        shop.anchors.errors = [error("away"), error("still away")]
        finishing = asyncio.create_task(shop.finish())
        while shop.anchors.errors:
            assert (cut.state, shop.anchored(), len(shop.desk.finisher)) == (FILES, [], 1)
            shop.clock.advance(1)
            await asyncio.sleep(0.001)
        while not finishing.done():
            shop.clock.advance(1)
            await asyncio.sleep(0.001)

    run(story())
    assert len(shop.anchored()) == 2
    assert states(shop) == [ACKED]


async def until_finished(shop: Workshop) -> None:
    finishing = asyncio.create_task(shop.finish())
    while not finishing.done():
        shop.clock.advance(1)
        await asyncio.sleep(0.001)
    await finishing


def test_a_batch_that_fails_for_an_unknown_reason_is_passed_by_the_others(
    shop: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        await written(shop)
        await shop.take([THIRD])
        await shop.write()
        shop.anchors.errors = [ValueError("nobody has thought of this")]
        await shop.desk.finisher.finish()
        await shop.desk.finisher.finish()
        assert shop.anchored() == [THIRD.id]
        assert len(shop.desk.finisher) == 1
        await until_finished(shop)

    run(story())
    assert len(shop.anchored()) == 3
    assert states(shop) == [ACKED, ACKED]
    assert "try 1 of 5" in caplog.text


def test_a_batch_that_fails_for_an_unknown_reason_ends_as_dead_letters_with_it(shop: Workshop) -> None:
    async def story() -> None:
        await written(shop)
        for _ in range(30):
            shop.anchors.errors = [ValueError("nobody has thought of this")] * TRIES
            await until_finished(shop)
            shop.clock.advance(LONG_S)
            await shop.take()
            await shop.write()

    run(story())
    assert (shop.anchored(), states(shop)) == ([], [])
    assert (
        sorted(str(each.headers[ERROR]) for each in shop.broker.dead)
        == ["ValueError: nobody has thought of this"] * 2
    )
    assert rows(shop.database, "id", table=operations) == []


def test_a_nack_that_fails_for_an_unknown_reason_does_not_end_the_finisher(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        cut = await written(shop)

        async def fails(*_: object, **__: object) -> int:
            raise ValueError("nobody has thought of this either")

        monkeypatch.setattr(cut, "nack", fails)
        shop.anchors.errors = [WitnessesNotFound("invite some")]
        await shop.finish()
        # It is found again, and goes on.
        await shop.go_on()

    run(story())
    assert states(shop) == [ACKED]


def test_a_batch_that_cannot_be_anchored_is_posted_anew(shop: Workshop) -> None:
    async def story() -> None:
        await written(shop)
        shop.anchors.errors = [WitnessesNotFound("invite some")]
        await shop.finish()

    run(story())
    assert (states(shop), shop.anchored()) == ([], [])
    assert shop.broker.delays == [5.0, 5.0]


def test_dids_that_are_to_blame_are_posted_anew_apart_from_the_others(shop: Workshop) -> None:
    async def story() -> None:
        await written(shop)
        blamed = [FIRST.operation.unique_suffix]
        shop.anchors.errors = [PreviousUnknown("no anchor", suffixes=blamed)]
        await shop.finish()
        shop.clock.advance(6)
        await shop.take()

    run(story())
    assert sorted(rows(shop.database, "id", "has_error", table=operations)) == sorted(
        [(FIRST.id, True), (SECOND.id, False)]
    )


@pytest.mark.parametrize("error", [None, WitnessesNotFound("invite some")])
def test_a_cut_that_is_anothers_is_left_to_it(shop: Workshop, error: Exception | None) -> None:
    async def story() -> None:
        cut = await written(shop)
        shop.database.do(adopt_cut, cut.id, "another")
        shop.anchors.errors = [error] if error else []
        await shop.finish()

    run(story())
    assert (shop.anchored(), states(shop), len(shop.desk.finisher)) == ([], [FILES], 0)


def test_a_step_whose_answer_was_lost_is_found_again(shop: Workshop) -> None:
    async def story() -> None:
        # Given a batch that is anchored, and nobody here knows.
        cut = await written(shop)
        record = cut._record
        await shop.anchors.write(cut)
        cut._record = record
        # When it is anchored once more, in vain, and the desk looks around.
        await shop.finish()
        assert states(shop) == [ANCHORED]
        await shop.desk.reopen()
        await shop.finish()

    run(story())
    assert states(shop) == [ACKED]
    assert len(shop.anchored()) == 2


def test_what_is_deferred_waits_again_though_the_answer_to_the_ack_was_lost(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        # Given a batch that leaves an operation to the next one.
        await shop.start()
        await shop.take([FIRST, one("update", "z")])
        await shop.write()
        # When the database has acked it, and breaks off before it says so.
        losing_answers(shop, monkeypatch, ack_cut)
        await until_finished(shop)
        assert states(shop) == [ACKED]

    run(story())
    # Then the operation waits here, and is not stuck.
    assert len(shop.queue) == 1


def losing_answers(shop: Workshop, monkeypatch: pytest.MonkeyPatch, work: Any) -> None:
    """Once, a transaction of this kind is committed, and nobody hears of it."""
    plain, left = shop.database.run, [work]

    async def run_(asked: Any, *values: Any, **named: Any) -> Any:
        found = await plain(asked, *values, **named)
        if asked in left:
            left.remove(asked)
            raise StoreError("the connection was lost at COMMIT")
        return found

    monkeypatch.setattr(shop.database, "run", run_)


def test_a_cut_has_files_unless_all_of_it_is_left_out(shop: Workshop) -> None:
    async def story() -> None:
        cut = await written(shop)
        assert has_files(cut)

    run(story())


def test_a_cut_of_nothing_but_what_waits_has_none(shop: Workshop) -> None:
    async def story() -> None:
        await shop.start()
        await shop.take([one("update", "a")])
        await shop.desk.cut()
        [found] = shop.desk._unwritten.values()
        await shop.write()
        assert not has_files(found.cut)

    run(story())
