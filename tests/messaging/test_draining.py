from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.messaging.draining import PAUSE_S, Drain
from penstock.messaging.message import Message
from tests.messaging.fakes import FakeBroker, FakeReceived, advance, turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from penstock.messaging.port import Received


class Handling:
    """Acks what it gets; a body `bad` fails it, `late` is given back, `hold` waits for ever."""

    def __init__(self) -> None:
        self.broker = FakeBroker()
        self.batches: list[list[bytes]] = []
        self.drain = Drain("q", self.handle, prefetch=7)

    async def handle(self, batch: Sequence[Received]) -> None:
        self.batches.append([received.body for received in batch])
        for received in batch:
            if received.body == b"bad":
                raise ValueError("no")
            if received.body == b"late":
                await self.drain.give_back([received])
            elif received.body == b"hold":
                await asyncio.Event().wait()
            else:
                self.drain.ack(received)


def message(body: bytes) -> FakeReceived:
    return FakeReceived(Message(body=body))


def test_what_has_arrived_is_handled_together() -> None:
    async def story() -> None:
        handling = Handling()
        await handling.drain.start(handling.broker)
        assert handling.broker.subscriptions[0].prefetch == 7
        messages = [message(b"a"), message(b"b")]
        for each in messages:
            handling.broker.deliver(each)
        assert handling.drain.is_busy
        await turns()
        assert handling.batches == [[b"a", b"b"]]
        assert [each.settled for each in messages] == [["ack"], ["ack"]]
        assert repr(handling.drain) == "<Drain of q: 0 in hand, 2 done>"
        await handling.drain.stop()
        assert not handling.drain.is_busy
        assert not handling.broker.subscriptions[0].is_live

    asyncio.run(story())


def test_one_bad_message_does_not_keep_the_others(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        handling = Handling()
        await handling.drain.start(handling.broker)
        messages = [message(body) for body in (b"a", b"bad", b"c")]
        handling.broker.deliver(*messages)
        await turns()
        # The bad one waits a while, and is then given back.
        assert [each.settled for each in messages] == [["ack"], [], []]
        await advance(handling.broker, PAUSE_S)
        assert [each.settled for each in messages] == [["ack"], ["requeue"], ["ack"]]
        assert handling.batches == [[b"a", b"bad", b"c"], [b"bad"], [b"c"]]
        await handling.drain.stop()

    asyncio.run(story())
    assert "a message of q goes back" in caplog.text


def test_what_comes_too_early_goes_back_after_a_pause() -> None:
    async def story() -> None:
        handling = Handling()
        await handling.drain.start(handling.broker)
        late = message(b"late")
        handling.broker.deliver(late)
        await turns()
        await advance(handling.broker, PAUSE_S - 0.1)
        assert late.settled == []
        await advance(handling.broker, 0.1)
        assert late.settled == ["requeue"]
        assert handling.drain.returned == 1
        await handling.drain.stop()

    asyncio.run(story())


def test_stopping_gives_back_what_is_not_settled_and_nothing_else() -> None:
    async def story() -> None:
        handling = Handling()
        await handling.drain.start(handling.broker)
        first = [message(b"a"), message(b"hold"), message(b"c")]
        handling.broker.deliver(*first)
        await turns()
        waiting = message(b"d")
        handling.broker.deliver(waiting)
        await handling.drain.stop()
        assert [each.settled for each in (*first, waiting)] == [
            ["ack"],
            ["requeue"],
            ["requeue"],
            ["requeue"],
        ]

    asyncio.run(story())


def test_a_drain_that_never_started_can_be_stopped() -> None:
    asyncio.run(Handling().drain.stop())
