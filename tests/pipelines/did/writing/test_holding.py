from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from sqlalchemy import update

from penstock.did.anchoring.in_process import AnchorRecord, complete, record_anchor
from penstock.did.anchoring.links import put_observed, put_pending
from penstock.did.cas import HashLink
from penstock.did.operation_queue.tables import cuts
from penstock.messaging.headers import ERROR
from penstock.pipelines.did.writing.desk import HELD_S
from penstock.pipelines.did.writing.holding import FORGOTTEN_S, LONGEST_S, NEVER_ANCHORED
from tests.did.anchored_dids import put_did_anchors
from tests.did.operation_queue.helpers import run
from tests.pipelines.did.writing.operations import create, one, queued
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from penstock.pipelines.did.writing.outcome import Outcome
    from tests.pipelines.did.writing.workshop import Workshop

UPDATE, OTHER = one("update", "a"), create("b")
SUFFIX = UPDATE.operation.unique_suffix


async def held(shop: Workshop) -> None:
    """An update waits for its DID's anchor, and nothing else waits."""
    await shop.start()
    await shop.take([UPDATE, OTHER])
    await shop.go_on()
    assert shop.anchored() == [OTHER.id]
    assert len(shop.queue) == 1


def anchor(shop: Workshop) -> None:
    shop.database.do(put_did_anchors, [SUFFIX], anchor="hl:uEiAnchor", issued_at=1.0)


def test_what_waits_for_an_anchor_is_not_cut_again_and_again(shop: Workshop) -> None:
    async def story() -> None:
        await held(shop)
        await shop.desk._holding.look()
        assert await shop.go_on() == []

    run(story())


def test_it_is_released_when_the_anchor_is_there(shop: Workshop) -> None:
    async def story() -> None:
        await held(shop)
        anchor(shop)
        await shop.desk._holding.look()
        await shop.go_on()

    run(story())
    assert shop.anchored() == [OTHER.id, UPDATE.id]


def test_after_a_while_it_is_looked_at_anyway(shop: Workshop) -> None:
    async def story() -> None:
        await held(shop)
        shop.clock.advance(LONGEST_S)
        await shop.desk._holding.look()
        [outcome] = await shop.go_on()
        assert outcome.deferred == [UPDATE.id]

    run(story())


async def in_vain(shop: Workshop) -> list[Outcome]:
    shop.clock.advance(LONGEST_S)
    await shop.desk._holding.look()
    return await shop.go_on()


def test_who_has_waited_in_vain_too_often_is_a_dead_letter(shop: Workshop) -> None:
    async def story() -> None:
        await held(shop)
        shop.desk._holding._max_waits = 3
        for _ in range(3):
            await in_vain(shop)
            assert (len(shop.queue), shop.broker.dead) == (1, [])
        await in_vain(shop)

    run(story())
    [letter] = shop.broker.dead
    assert letter.headers[ERROR] == NEVER_ANCHORED
    assert (len(shop.queue), shop.desk._holding._waited) == (0, {})


def test_while_an_anchor_is_overdue_everybody_waits(shop: Workshop) -> None:
    async def story() -> None:
        await held(shop)
        # Given the anchor of the batch before, whose witnesses are silent.
        times: Any = {"asked_at": 0.0, "ends_at": 0.0, "check_at": 0.0}
        record = AnchorRecord(anchor="hl:silent", cut=1, linkset=b"{}", round=1, **times)
        shop.database.do(record_anchor, record)
        shop.desk._holding._max_waits = 2
        for _ in range(5):
            await in_vain(shop)
        assert len(shop.queue) == 1
        # When they have proved, and it was another batch's, the waits count.
        shop.database.do(complete, "hl:silent", 0.0)
        for _ in range(3):
            await in_vain(shop)

    run(story())
    assert len(shop.broker.dead) == 1


def test_so_they_do_while_an_anchor_is_not_observed(shop: Workshop) -> None:
    link = HashLink.of(b"a linkset")

    def publish(connection: Connection) -> None:
        connection.execute(update(cuts).values(linkset=link.hash))
        put_pending(connection, link, 1.0)

    async def story() -> None:
        await held(shop)
        # Given the anchor of the batch before: its observer stands still.
        shop.database.do(publish)
        shop.desk._holding._max_waits = 2
        for _ in range(5):
            await in_vain(shop)
        assert len(shop.queue) == 1
        # When it is observed, and was another batch's, the waits count.
        shop.database.do(put_observed, link, 1.0)
        for _ in range(3):
            await in_vain(shop)

    run(story())
    assert len(shop.broker.dead) == 1


def test_a_did_that_got_its_anchor_begins_anew(shop: Workshop) -> None:
    async def story() -> None:
        await held(shop)
        await in_vain(shop)
        assert shop.desk._holding._times(SUFFIX) == 1
        anchor(shop)
        await shop.desk._holding.look()

    run(story())
    assert shop.desk._holding._waited == {}


def test_who_does_not_come_back_is_forgotten(shop: Workshop) -> None:
    async def story() -> None:
        await held(shop)
        await in_vain(shop)
        holding = shop.desk._holding
        holding._since.clear()
        shop.clock.advance(FORGOTTEN_S)
        holding.hold(["another"])
        shop.clock.advance(LONGEST_S)
        await holding.look()
        assert (holding._times(SUFFIX), holding._times("another")) == (0, 1)

    run(story())


def test_what_comes_later_of_the_same_did_waits_behind_it(shop: Workshop) -> None:
    async def story() -> None:
        life = Life("a")
        life.create()
        first, second = (queued(life.update(), life.suffix) for _ in range(2))
        await shop.start()
        await shop.take([first])
        await shop.go_on()
        await shop.take([second])
        assert await shop.go_on() == []
        anchor(shop)
        await shop.desk._holding.look()
        await shop.go_on()
        # Two cuts, anchored in their order.
        assert shop.anchored() == [first.id, second.id]

    run(story())


def test_it_looks_by_itself(shop: Workshop) -> None:
    async def story() -> None:
        await held(shop)
        anchor(shop)
        running = asyncio.create_task(shop.desk.run())
        while shop.desk._holding._since:
            await asyncio.sleep(0.001)
            shop.clock.advance(HELD_S)
        running.cancel()
        await asyncio.wait([running])
        assert repr(shop.desk._holding) == "<Holding 0 DIDs>"

    run(story())
