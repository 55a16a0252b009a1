from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock import testing
from penstock.client import Queue
from penstock.clock import VirtualClock
from penstock.messaging import Destination, Message, Topology
from penstock.messaging import leases as module
from penstock.messaging.subscriptions import Consumer, Subscription

if TYPE_CHECKING:
    import pytest

    from penstock.messaging.port import Received
    from penstock.testing import ControlledBroker

BILLS = Destination.queue("bills")


async def fill(controlled: ControlledBroker, count: int, ttr: int) -> None:
    broker = await controlled.port()
    await broker.initialize(Topology(queues=(Queue("bills"),)))
    for number in range(count):
        await broker.publish(Message(body=b"%d" % number, headers={"x-ttr": ttr}), BILLS)


def test_what_waits_in_hand_or_is_worked_on_stays_there() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            await fill(controlled, 4, ttr=2)
            begun: list[bytes] = []

            async def work(message: Message) -> None:
                begun.append(message.body)
                done = asyncio.get_running_loop().create_future()
                controlled.clock.call_at(controlled.clock.now() + 5, done.set_result, None)
                await done

            shops = [
                Subscription(
                    Consumer(name="bills", queue="bills", handler=work, prefetch=4, pool=1, decode=decode),
                    await controlled.port(),
                    dead_letters=BILLS,
                )
                for _ in range(2)
            ]
            for shop in shops:
                await shop.start()
            for _ in range(100):
                await controlled.advance(0.25)
            assert sorted(begun) == [b"0", b"1", b"2", b"3"]
            for shop in shops:
                await shop.stop()

    asyncio.run(story())


def decode(received: Received) -> Message:
    return received.message


def test_what_could_not_be_touched_in_time_is_not_begun() -> None:
    async def story() -> None:
        async with testing.broker() as controlled:
            await fill(controlled, 1, ttr=4)
            broker = await controlled.port()
            received = await broker.fetch("bills")
            assert received is not None
            await controlled.advance(2)
            assert not received.is_lost
            # Nothing happens here for a while.
            controlled.clock._now += 3.5
            assert received.is_lost
            await controlled.settled()
            assert received.is_lost, "late is late"
            received.requeue()

    asyncio.run(story())


def test_what_is_settled_is_forgotten_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FEW", 2)

    async def story() -> None:
        async with testing.broker() as controlled:
            await fill(controlled, 8, ttr=60)
            broker = await controlled.port()
            leases = broker._leases
            leases._sweep_at = 2
            for _ in range(8):
                received = await broker.fetch("bills")
                assert received is not None
                received.ack()
                assert len(leases._held) <= 3
            assert "<Lease of 60.0 s until " in repr(leases._held)
            await controlled.advance(60)
            assert repr(leases) == "<Leases 0 held>"

    asyncio.run(story())


def test_there_is_time_left_for_the_way() -> None:
    clock = VirtualClock(1000.0)
    assert [module.Lease(seconds, clock).until for seconds in (120.0, 2.0, 1.0)] == [1119.0, 1001.0, 1000.5]
