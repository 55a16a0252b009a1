from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.errors import TransientError
from penstock.messaging.subscriptions import Pausing, Watch
from tests.messaging.fakes import advance, turns
from tests.messaging.subscriptions.shop import Shop, opened, run

if TYPE_CHECKING:
    from penstock.messaging import Message


def watching(shop: Shop) -> Watch:
    watch = Watch([shop.subscription], clock=shop.broker.clock, alerts=shop.alerts, after=300)
    watch.start()
    return watch


def test_a_consumer_that_is_at_one_message_for_too_long_is_stuck() -> None:
    async def story() -> None:
        async def handler(_: Message) -> None:
            await asyncio.Event().wait()

        async with opened(handler) as shop:
            watch = watching(shop)
            shop.deliver("a")
            await turns()
            await advance(shop.broker, 299)
            assert shop.alerts.raised == []
            await advance(shop.broker, 1)
            (alert,) = shop.alerts.raised
            assert (alert.kind, alert.subject, alert.is_critical) == ("stuck-consumer", "shop.bills", True)
            assert alert.text == "shop.bills has been handling one message for 300 s"
            watch.stop()
            await advance(shop.broker, 3000)
            assert len(shop.alerts.raised) == 1

    run(story)


def test_a_consumer_that_the_broker_does_not_know_for_too_long_is_stuck() -> None:
    async def story() -> None:
        async with opened(print) as shop:
            watching(shop)
            shop.broker.subscriptions[0].is_live = False
            await advance(shop.broker, 150)
            await advance(shop.broker, 150)
            assert shop.alerts.raised == []
            shop.broker.subscriptions[0].is_live = True
            await advance(shop.broker, 150)
            shop.broker.subscriptions[0].is_live = False
            await advance(shop.broker, 300)
            assert shop.alerts.raised == []
            await advance(shop.broker, 150)
            (alert,) = shop.alerts.raised
            assert alert.text == "shop.bills has been no consumer of 'shop.bills' for 300 s"

    run(story)


def test_who_pauses_is_not_stuck() -> None:
    async def story() -> None:
        async def handler(_: Message) -> None:
            raise TransientError("away")

        async with opened(handler, pausing=Pausing(after=1, probe_after=9000, cap=9000)) as shop:
            watching(shop)
            shop.deliver("a")
            await turns()
            assert shop.subscription.state == "paused"
            await advance(shop.broker, 3000)
            assert shop.alerts.kinds == ["paused"]

    run(story)


def test_who_works_is_not_stuck() -> None:
    async def story() -> None:
        async with opened(print) as shop:
            watch = watching(shop)
            await advance(shop.broker, 3000)
            assert shop.alerts.raised == []
            watch.stop()
            watch.stop()

    run(story)
