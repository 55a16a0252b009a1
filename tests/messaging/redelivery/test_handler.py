"""The handler, with a stand-in for the broker; the whole loop, on real ones, is in test_loop.py."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import MessagingError, NotConnected, PublishRefused, Unroutable
from penstock.messaging import headers as names
from penstock.messaging.draining import PAUSE_S
from penstock.messaging.message import Death, Destination, Message
from penstock.messaging.redelivery import RedeliveryHandler, RedeliveryPolicy
from tests.messaging.fakes import FakeAlerts, FakeBroker, FakeReceived, advance, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.errors import ClientError, PublishError


@dataclass
class Broker(FakeBroker):
    """One on which publishing many can fail: as a whole, or for some queues."""

    is_away: bool = False
    failing: dict[str, ClientError] = field(default_factory=dict)

    async def publish_many(
        self,
        messages: Sequence[tuple[Message, Destination]],
        *,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> list[PublishError | None]:
        if self.is_away:
            raise NotConnected("nobody there")
        errors: list[Any] = [self.failing.get(to.key) for _, to in messages]
        self.published += [pair for pair, error in zip(messages, errors, strict=True) if error is None]
        return errors

    @property
    def went_to(self) -> list[str]:
        return [to.key for _, to in self.published]


def rejected(count: int, queue: str = "orb.anchor") -> FakeReceived:
    headers = {"orb-queue": queue, "orb-redelivery-count": str(count)} if count else {}
    received = FakeReceived(Message(body=b"{}", id="m1", headers=headers), queue="orb.redelivery")
    received.deaths = [Death(queue=queue, reason="rejected", exchange="orb", keys=(queue,), count=1, at=1.0)]
    return received


async def started(broker: Broker, **options: Any) -> RedeliveryHandler:
    handler = RedeliveryHandler(RedeliveryPolicy(max_attempts=3), **options)
    await handler.start(broker)
    return handler


def test_all_that_has_arrived_goes_on_together() -> None:
    async def story() -> None:
        broker, alerts = Broker(), FakeAlerts()
        handler = await started(broker, alerts=alerts)
        messages = [rejected(count) for count in (0, 1, 3)]
        broker.deliver(*messages)
        assert handler.is_busy
        await turns()
        assert broker.went_to == ["orb.anchor", "orb.wait", "orb.dead-letters"]
        assert [each.settled for each in messages] == [["ack"]] * 3
        assert repr(handler) == "<RedeliveryHandler orb.redelivery: Abort 1, Redeliver 1, Wait 1>"
        (alert,) = alerts.raised
        assert (alert.kind, alert.subject, alert.is_critical) == ("exhausted", "orb.anchor", True)
        assert alert.text == "m1 of orb.anchor: redelivery aborted after 3 attempts"
        await handler.stop()

    asyncio.run(story())


def test_its_own_queues_are_declared_first() -> None:
    async def story() -> None:
        broker = Broker()
        handler = await started(broker, prefetch=9)
        declared = {queue.name for queue in broker.topologies[0].queues}
        assert declared == {"orb.redelivery", "orb.wait", "orb.dead-letters"}
        assert (broker.subscriptions[0].queue, broker.subscriptions[0].prefetch) == ("orb.redelivery", 9)
        assert repr(handler) == "<RedeliveryHandler orb.redelivery: nothing yet>"
        await handler.stop()

    asyncio.run(story())


def test_a_message_is_not_acked_before_its_copy_is_confirmed() -> None:
    async def story() -> None:
        broker = Broker(failing={"orb.anchor": PublishRefused("full")})
        handler = await started(broker)
        refused, well = rejected(0), rejected(0, "orb.did")
        broker.deliver(refused, well)
        await turns()
        assert (refused.settled, well.settled) == ([], ["ack"])
        await advance(broker, PAUSE_S)
        assert refused.settled == ["requeue"]
        await handler.stop()

    asyncio.run(story())


def test_while_the_broker_is_away_everything_goes_back() -> None:
    async def story() -> None:
        broker = Broker(is_away=True)
        handler = await started(broker)
        messages = [rejected(0), rejected(1)]
        broker.deliver(*messages)
        await turns()
        await advance(broker, PAUSE_S)
        assert [each.settled for each in messages] == [["requeue"]] * 2
        # And afterwards it goes on.
        broker.is_away = False
        again = rejected(0)
        broker.deliver(again)
        await turns()
        assert again.settled == ["ack"]
        await handler.stop()

    asyncio.run(story())


def test_a_message_whose_queue_is_gone_is_kept() -> None:
    async def story() -> None:
        broker, alerts = Broker(failing={"orb.anchor": Unroutable("no queue")}), FakeAlerts()
        handler = await started(broker, alerts=alerts)
        received = rejected(0)
        broker.deliver(received)
        await turns()
        ((copy, to),) = broker.published
        assert to == Destination("", "orb.dead-letters")
        assert copy.headers[names.REASON] == "queue orb.anchor is gone"
        assert copy.headers[names.ATTEMPTS] == 1
        assert received.settled == ["ack"]
        assert alerts.kinds == ["exhausted"]
        await handler.stop()

    asyncio.run(story())


def test_it_must_be_started() -> None:
    with pytest.raises(MessagingError, match="has not been started"):
        _ = RedeliveryHandler()._broker
