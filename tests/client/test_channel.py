from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client.channel import Channel
from penstock.errors import BrokerRefused, ClientError, NotConnected
from penstock.wire.amqp import CannotEncode, Failure
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.items import FAILURE
from penstock.wire.amqp.methods import (
    BasicCancel,
    BasicReturn,
    ChannelClose,
    ChannelCloseOk,
    ChannelFlow,
    ChannelFlowOk,
    ChannelOpenOk,
    ExchangeDeclare,
    ExchangeDeclareOk,
    QueueDeclare,
    QueueDeclareOk,
)
from tests.client.fake import FakeBroker, turns
from tests.client.support import story

if TYPE_CHECKING:
    from penstock.client.bodies import LargeBody


class Noted(Channel):
    """A channel that notes what it is told."""

    def __init__(self, connection: Any) -> None:
        self.notes: list[Any] = []
        super().__init__(connection)

    def cancelled(self, tag: str) -> None:
        self.notes.append(tag)

    def whole(self, large: LargeBody) -> None:
        self.notes.append(large.body)

    def ended(self, error: ClientError) -> None:
        self.notes.append(error)


@story
async def test_answers_come_in_the_order_of_the_questions() -> None:
    broker = FakeBroker()
    channel = Channel(await broker.connection())
    first, second = channel.ask(QueueDeclare("a")), channel.ask(ExchangeDeclare("b"))
    assert await second == ExchangeDeclareOk()
    assert await first == QueueDeclareOk("a", 3, 1)
    assert repr(channel) == "<Channel 1 of test, open>"


@story
async def test_a_refusal_closes_the_channel_and_fails_all_that_was_asked(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker = FakeBroker()
    broker.answers[QueueDeclare] = lambda _: ChannelClose(404, "NOT_FOUND - no queue", 50, 10)
    channel = Noted(await broker.connection())
    first, second = channel.ask(QueueDeclare("a")), channel.ask(QueueDeclare("b"))
    for asked in (first, second):
        with pytest.raises(BrokerRefused, match="NOT_FOUND") as caught:
            await asked
        assert caught.value.code == 404
    await turns()
    assert ChannelCloseOk() in broker.session.methods(ChannelCloseOk)
    assert not channel.is_open
    assert len(channel.notes) == 1
    with pytest.raises(NotConnected):
        await channel.ask(QueueDeclare("c"))
    # The number is free for the next one, and who asked was told: no log.
    assert Channel(channel.connection).number == 1
    assert caplog.records == []


@story
async def test_a_channel_that_nobody_asked_anything_is_mentioned_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    broker = FakeBroker()
    channel = Channel(await broker.connection())
    await turns()
    broker.session.say(1, ChannelClose(406, "PRECONDITION_FAILED", 60, 80))
    await turns()
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
    assert channel.connection.counters.channels_closed == 1


@story
async def test_our_own_close_frees_the_number_when_the_broker_has_heard_it() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    channel = Noted(connection)
    await turns()
    channel.close()
    channel.close()
    assert Channel(connection).number == 2
    await turns()
    assert Channel(connection).number == 1
    assert len(channel.notes) == 1


@story
async def test_both_may_close_at_once() -> None:
    broker = FakeBroker()
    broker.answers[ChannelClose] = lambda _: None
    connection = await broker.connection()
    channel = Channel(connection)
    await turns()
    channel.close()
    await turns()
    broker.session.say(1, ChannelClose(406, "PRECONDITION_FAILED", 0, 0), ChannelCloseOk())
    await turns()
    assert broker.session.methods(ChannelCloseOk) == [ChannelCloseOk()]
    assert connection.channels == {}


@story
async def test_what_the_broker_says_unasked_is_taken() -> None:
    broker = FakeBroker()
    channel = Noted(await broker.connection())
    await turns()
    broker.session.say(1, ChannelFlow(active=True), BasicCancel("tag"), ChannelOpenOk())
    await turns()
    assert broker.session.methods(ChannelFlowOk) == [ChannelFlowOk(active=True)]
    assert channel.notes == ["tag"]
    assert channel.connection.counters.consumers_cancelled == 1


@story
async def test_a_broker_that_breaks_the_standard_loses_the_channel() -> None:
    broker = FakeBroker()
    channel = Noted(await broker.connection())
    await turns()
    channel.take((FAILURE, 1, Failure(ReplyCode.CONTENT_TOO_LARGE, "no", 1)))
    await turns()
    assert broker.session.methods(ChannelClose)[0].reply_code == 311
    assert isinstance(channel.notes[0], BrokerRefused)


@story
async def test_what_cannot_be_encoded_is_the_callers_and_asks_nothing() -> None:
    broker = FakeBroker()
    channel = Channel(await broker.connection())
    with pytest.raises(CannotEncode):
        channel.ask(QueueDeclare("q" * 256))
    assert await channel.ask(QueueDeclare("q")) == QueueDeclareOk("q", 3, 1)


@story
async def test_the_loss_of_the_connection_is_the_channels(caplog: pytest.LogCaptureFixture) -> None:
    broker = FakeBroker()
    broker.answers[QueueDeclare] = lambda _: None
    channel = Noted(await broker.connection())
    asked = channel.ask(QueueDeclare("a"))
    await turns()
    broker.session.wire.abort()
    with pytest.raises(NotConnected, match="hung up"):
        await asked
    channel.lose(NotConnected("again"))
    assert len(channel.notes) == 1


@story
async def test_a_large_content_is_gathered() -> None:
    broker = FakeBroker()
    channel = Noted(await broker.connection())
    await turns()
    broker.session.say_content(1, BasicReturn(312, "NO_ROUTE", "", "q"), b"x" * 100_000)
    await turns()
    assert channel.notes == [b"x" * 100_000]


@story
async def test_an_answer_that_nobody_waits_for_any_more_harms_nobody() -> None:
    troubles: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: troubles.append(context))
    channel = Channel(await FakeBroker().connection())
    given_up, asked = channel.ask(QueueDeclare("a")), channel.ask(QueueDeclare("b"))
    given_up.cancel()
    assert await asked == QueueDeclareOk("b", 3, 1)
    assert troubles == []


@story
async def test_of_the_frequent_items_a_plain_channel_makes_nothing() -> None:
    channel = Channel(await FakeBroker().connection())
    channel.confirmed(1, is_multiple=False)
    channel.refused(1, is_multiple=False)
    channel.hand_over()
    channel.say_settled()
    channel.cancelled("tag")
    channel.take((1, 1))  # type: ignore[arg-type]
    assert channel.is_open
