from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.did.anchoring.did_anchors import put_did_anchors
from penstock.pipelines.did.writing.desk import HELD_S
from penstock.pipelines.did.writing.holding import LONGEST_S
from tests.did.operation_queue.helpers import run
from tests.pipelines.did.writing.operations import create, one, queued
from tests.sidetree.lives import Life

if TYPE_CHECKING:
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
