from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.client import ClientSettings, Delivery
from penstock.client.receiving import ConsumerChannel, GetChannel
from penstock.wire.amqp.items import ACK, REJECT
from penstock.wire.amqp.methods import (
    BasicCancel,
    BasicGet,
    BasicGetEmpty,
    BasicGetOk,
    BasicReturn,
    ChannelClose,
    ConfirmSelect,
)
from tests.client.fake import FakeBroker, turns
from tests.client.support import Inbox, story

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.errors import ClientError


class Scene:
    """A consumer channel at a fake broker."""

    def __init__(
        self, receive: Callable[[list[Delivery]], None], settings: ClientSettings | None = None
    ) -> None:
        self.broker = FakeBroker()
        self.receive = receive
        self.settings = settings
        self.ends: list[ClientError | None] = []

    async def open(self) -> ConsumerChannel:
        connection = await self.broker.connection(self.settings)
        return ConsumerChannel(connection, "q", self.receive, self.ends.append)


@story
async def test_what_comes_in_one_read_is_handed_over_in_one_list_and_acknowledged_in_one_frame() -> None:
    inbox = Inbox()
    scene = Scene(inbox)
    channel = await scene.open()
    scene.broker.session.deliver(1, 1, b"a", b"b", b"c")
    scene.broker.session.deliver(1, 4, b"d")
    await turns()
    assert inbox.batches == [3, 1]
    assert inbox.bodies == [b"a", b"b", b"c", b"d"]
    assert [delivery.properties.message_id for delivery in inbox.deliveries] == ["0", "1", "2", "0"]
    assert scene.broker.session.settled == [(ACK, 1, 4, True)]
    assert channel.settling.in_hand == 0
    assert channel.connection.counters.delivered == 4


class Letter(Delivery):
    """A delivery with another name."""

    __slots__ = ()


@story
async def test_what_comes_is_made_into_what_the_receiver_wants_whatever_its_size() -> None:
    inbox, broker = Inbox(acks=False), FakeBroker()
    connection = await broker.connection()
    ConsumerChannel(connection, "q", inbox, lambda _error: None, Letter)
    broker.session.deliver(1, 1, b"a", b"x" * 100_000)
    asked = asyncio.ensure_future(GetChannel(connection, "q", Letter).get())
    await turns()
    broker.session.say_content(2, BasicGetOk(9, False, "e", "k", 0), b"b")  # noqa: FBT003 (the wire's order)
    assert [type(each) for each in (*inbox.deliveries, await asked)] == [Letter] * 3


@story
async def test_a_large_message_keeps_its_place_between_small_ones() -> None:
    inbox = Inbox(acks=False)
    scene = Scene(inbox)
    await scene.open()
    large = b"x" * 100_000
    scene.broker.session.deliver(1, 1, b"a", large, b"b")
    await turns()
    assert inbox.bodies == [b"a", large, b"b"]


@story
async def test_a_message_beyond_the_limit_is_rejected_unseen(caplog: pytest.LogCaptureFixture) -> None:
    inbox = Inbox()
    scene = Scene(inbox, ClientSettings(max_body=99_999))
    channel = await scene.open()
    scene.broker.session.deliver(1, 1, b"a", b"x" * 100_000, b"b")
    await turns()
    assert inbox.bodies == [b"a", b"b"]
    assert scene.broker.session.settled == [(REJECT, 1, 2, False), (ACK, 1, 3, True)]
    assert channel.connection.counters.too_large == 1
    assert "rejected a message of 100000 bytes from 'q'" in caplog.text


@story
async def test_a_receiver_that_fails_keeps_its_messages_and_the_connection(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_deliveries: list[Delivery]) -> None:
        raise ZeroDivisionError

    scene = Scene(fail)
    channel = await scene.open()
    scene.broker.session.deliver(1, 1, b"a")
    await turns()
    assert channel.is_open
    assert channel.settling.in_hand == 1
    assert "failed to take 1 messages" in caplog.text


@story
async def test_a_retired_channel_leaves_when_nothing_is_in_hand() -> None:
    inbox = Inbox(acks=False)
    scene = Scene(inbox)
    channel = await scene.open()
    scene.broker.session.deliver(1, 1, b"a", b"b")
    await turns()
    channel.retire()
    inbox.deliveries[0].ack()
    await turns()
    assert channel.is_open
    inbox.deliveries[1].ack()
    await turns()
    assert not channel.is_open
    # What was settled is said before the farewell.
    assert [type(said) for _, said in scene.broker.session.heard[-2:]] == [tuple, ChannelClose]


@story
async def test_an_ack_for_certain_is_said_at_once_and_answered_even_on_a_retired_channel() -> None:
    inbox = Inbox(acks=False)
    scene = Scene(inbox)
    channel = await scene.open()
    scene.broker.session.deliver(1, 1, b"a")
    await turns()
    channel.retire()
    assert await inbox.deliveries[0].ack_for_certain()
    assert scene.broker.session.settled == [(ACK, 1, 1, False)]
    await turns()
    assert not channel.is_open


@story
async def test_an_ack_whose_answer_is_lost_is_not_certain() -> None:
    inbox = Inbox(acks=False)
    scene = Scene(inbox)
    scene.broker.answers[ConfirmSelect] = lambda _: None
    await scene.open()
    scene.broker.session.deliver(1, 1, b"a", b"b")
    await turns()
    asked = asyncio.ensure_future(inbox.deliveries[0].ack_for_certain())
    await turns()
    scene.broker.session.wire.abort()
    assert not await asked
    assert not await inbox.deliveries[1].ack_for_certain(), "its channel is gone"


@story
async def test_closing_says_first_what_was_settled() -> None:
    inbox = Inbox(acks=False)
    scene = Scene(inbox)
    channel = await scene.open()
    scene.broker.session.deliver(1, 1, b"a", b"b")
    await turns()
    inbox.deliveries[0].ack()
    channel.close()
    channel.close()
    await turns()
    assert scene.broker.session.settled == [(ACK, 1, 1, False)]
    inbox.deliveries[1].ack()
    assert channel.connection.counters.stale_acks == 1


@story
async def test_who_consumes_is_told_of_the_end_of_the_consumer_and_of_the_channel() -> None:
    scene = Scene(Inbox())
    channel = await scene.open()
    scene.broker.session.say(1, BasicCancel("tag"))
    await turns()
    assert scene.ends == [None]
    assert channel.is_open
    scene.broker.session.wire.abort()
    await turns()
    assert [type(end).__name__ for end in scene.ends] == ["NoneType", "NotConnected"]
    assert not channel.settling.is_open


@story
@pytest.mark.parametrize("body", [b"small", b"x" * 100_000])
async def test_a_get_is_answered_with_a_delivery(body: bytes) -> None:
    broker = FakeBroker()
    channel = GetChannel(await broker.connection(), "q")
    asked = asyncio.ensure_future(channel.get())
    await turns()
    assert broker.session.methods(BasicGet) == [BasicGet("q")]
    broker.session.say_content(1, BasicGetOk(9, True, "e", "k", 0), body)  # noqa: FBT003 (the wire's order)
    delivery = await asked
    assert delivery is not None
    assert (delivery.body, delivery.redelivered, delivery.queue) == (body, True, "q")
    delivery.reject()
    await turns()
    assert broker.session.settled == [(REJECT, 1, 9, False)]
    assert not channel.is_open


@story
async def test_a_get_of_a_message_beyond_the_limit_brings_nothing() -> None:
    broker = FakeBroker()
    channel = GetChannel(await broker.connection(ClientSettings(max_body=10)), "q")
    asked = asyncio.ensure_future(channel.get())
    await turns()
    broker.session.say_content(1, BasicGetOk(1, False, "e", "k", 0), b"x" * 100_000)  # noqa: FBT003 (likewise)
    assert await asked is None
    await turns()
    assert broker.session.settled == [(REJECT, 1, 1, False)]


@story
async def test_an_empty_queue_brings_nothing_and_its_channel_leaves() -> None:
    broker = FakeBroker()
    broker.answers[BasicGet] = lambda _: BasicGetEmpty()
    channel = GetChannel(await broker.connection(), "q")
    assert await channel.get() is None
    assert not channel.is_open


@story
async def test_who_does_not_wait_for_the_answer_gives_the_message_back() -> None:
    broker = FakeBroker()
    channel = GetChannel(await broker.connection(), "q")
    asked = asyncio.ensure_future(channel.get())
    await turns()
    asked.cancel()
    await turns()
    assert not channel.is_open
    broker.session.say_content(1, BasicGetOk(1, False, "e", "k", 0), b"late")  # noqa: FBT003 (likewise)
    await turns()
    assert channel.settling.in_hand == 0


@story
async def test_large_contents_that_are_not_its_own_are_ignored() -> None:
    scene = Scene(inbox := Inbox())
    consumer = await scene.open()
    get = GetChannel(consumer.connection, "q")
    for channel in (consumer, get):
        scene.broker.session.say_content(
            channel.number, BasicReturn(312, "NO_ROUTE", "", "q"), b"x" * 100_000
        )
    await turns()
    assert inbox.deliveries == []
    assert get.settling.in_hand == 0
