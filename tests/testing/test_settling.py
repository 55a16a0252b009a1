from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.testing import broker
from penstock.testing.settling import QUIET_TURNS, Settling
from penstock.wire.amqp.constants import PROTOCOL_HEADER
from penstock.wire.amqp.methods import BasicConsume
from tests.server.peer import Peer

if TYPE_CHECKING:
    from collections.abc import Callable


def settling(*probes: Callable[[], bool], on_its_way: str = "") -> Settling:
    return Settling(VirtualClock(), lambda: [on_its_way] if on_its_way else [], probes)


def test_it_waits_for_callbacks_that_lead_to_another() -> None:
    async def story() -> None:
        left = 20

        def step() -> None:
            nonlocal left
            left -= 1
            if left:
                asyncio.get_running_loop().call_soon(step)

        step()
        await settling().settle(1)
        assert left == 0

    asyncio.run(story())


def test_it_says_what_it_waited_for_in_vain() -> None:
    def working() -> bool:
        return True

    async def story() -> None:
        with pytest.raises(TimeoutError, match=r"not settled after 0\.01 s: a letter"):
            await settling(on_its_way="a letter").settle(0.01)
        with pytest.raises(TimeoutError, match=r"busy: <function .*working"):
            await settling(working).settle(0.01)

    asyncio.run(story())


def test_alarms_that_are_due_ring_meanwhile() -> None:
    async def story() -> None:
        clock = VirtualClock(5.0)
        rung: list[str] = []
        clock.call_at(5.0, rung.append, "now")
        clock.call_at(5.1, rung.append, "later")
        await Settling(clock, list, []).settle(1)
        assert rung == ["now"]

    asyncio.run(story())


def test_patience_with_a_probe_ends_once_until_it_was_at_rest() -> None:
    async def story() -> None:
        is_busy, looks = True, 0

        def probe() -> bool:
            nonlocal looks
            looks += 1
            return is_busy

        at_work = settling(probe)
        await at_work.settle(10, patience=0.05)
        # Given up: the next time it is not waited for, whatever the patience.
        looks = 0
        await at_work.settle(10, patience=5)
        assert looks == QUIET_TURNS
        # Once it was at rest, it is waited for again.
        is_busy = False
        await at_work.settle(10, patience=5)
        is_busy = True
        with pytest.raises(TimeoutError):
            await at_work.settle(0.05, patience=5)

    asyncio.run(story())


def test_bytes_both_ways_and_what_is_written_are_waited_for() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            for _ in range(3):
                for _ in range(200):
                    peer.publish("q", b"x" * 10_000)
                await controlled.settled()
                assert peer.confirmed == peer.sent
            assert controlled.queue("q").depth == 600

    asyncio.run(story())


def test_messages_that_a_consumer_can_take_are_waited_for() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            for _ in range(6_000):
                # Nothing of it is ever written.
                peer.publish("q", b"", delivery_mode=1)
            await controlled.settled()
            peer.say(BasicConsume("q", no_ack=True))
            await controlled.settled()
            assert len(peer.delivered) == 6_000

    asyncio.run(story())


def test_a_large_body_is_waited_for() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            for _ in range(5):
                peer.publish("q", bytes(3_000_000))
            await controlled.settled()
            assert (peer.confirmed, controlled.queue("q").depth) == (5, 5)
            peer.say(BasicConsume("q"))
            await controlled.settled()
            assert [body for _, body in peer.delivered] == [bytes(3_000_000)] * 5

    asyncio.run(story())


def test_a_client_that_is_blocked_is_not_waited_for() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            peer.publish("q", b"before")
            await controlled.settled()
            controlled.embedded.front.block("low on memory")
            peer.publish("q", b"after")
            await controlled.settled()
            assert controlled.queue("q").bodies == [b"before"]
            controlled.embedded.front.block(None)
            await controlled.settled()
            assert controlled.queue("q").bodies == [b"before", b"after"]

    asyncio.run(story())


def test_it_tells_of_a_client_that_does_not_introduce_itself() -> None:
    async def story() -> None:
        async with broker() as controlled:
            _, peer = await controlled.dial(Peer)
            peer.transport.write(PROTOCOL_HEADER)
            with pytest.raises(TimeoutError, match="a handshake at the broker's end of <AmqpSession here"):
                await controlled.settled(0.1)

    asyncio.run(story())


def test_it_tells_of_a_client_that_does_not_read() -> None:
    async def story() -> None:
        async with broker() as controlled:
            peer = await Peer.enter(controlled.dial)
            await peer.declare("q")
            for _ in range(100):
                peer.publish("q", bytes(50_000))
            await controlled.settled()
            peer.transport.pause_reading()
            peer.say(BasicConsume("q"))
            with pytest.raises(TimeoutError, match="unsent bytes at the broker's end of <AmqpSession here"):
                await controlled.settled(0.2)
            peer.transport.resume_reading()
            await controlled.settled()
            assert len(peer.delivered) == 100

    asyncio.run(story())
