from __future__ import annotations

import asyncio

import pytest

from penstock.client import Outgoing
from penstock.client.publisher_channel import PublisherChannel
from penstock.client.publishing import Publishing, SinglePublishing
from penstock.errors import PublishLost, PublishRefused, Unroutable
from penstock.wire.amqp import CannotEncode, body_of
from penstock.wire.amqp.methods import BasicNack, BasicReturn, ChannelClose, ConfirmSelect
from tests.client.fake import FakeBroker, turns
from tests.client.support import story, to


def sent(channel: PublisherChannel, *outgoings: Outgoing, deadline: float = 10.0) -> Publishing:
    future = asyncio.get_running_loop().create_future()
    kind = SinglePublishing if len(outgoings) == 1 else Publishing
    publishing = kind(outgoings, deadline, future)
    channel.publish(publishing)
    return publishing


@story
async def test_publishes_leave_in_order_and_are_confirmed() -> None:
    broker = FakeBroker()
    channel = PublisherChannel(await broker.connection())
    one, many = sent(channel, to("q", b"1")), sent(channel, to("q", b"2"), to("q", b"3"))
    await turns()
    assert broker.session.methods(ConfirmSelect) == [ConfirmSelect()]
    assert [body_of(item[4]) for _, item in broker.session.published] == [b"1", b"2", b"3"]
    assert all(item[2].mandatory for _, item in broker.session.published)
    broker.session.confirm(1, 1)
    broker.session.confirm(1, 3, multiple=True)
    await one.future
    await many.future
    assert many.results == [None, None]


@story
async def test_a_return_is_an_error_small_or_large() -> None:
    broker = FakeBroker()
    channel = PublisherChannel(await broker.connection())
    small, large = sent(channel, to("q", b"small")), sent(channel, to("q", b"x" * 100_000))
    for body in (b"small", b"x" * 100_000):
        broker.session.say_content(1, BasicReturn(312, "NO_ROUTE", "", "q"), body)
    broker.session.confirm(1, 2, multiple=True)
    for publishing in (small, large):
        with pytest.raises(Unroutable):
            await publishing.future


@story
async def test_a_nack_is_an_error() -> None:
    broker = FakeBroker()
    channel = PublisherChannel(await broker.connection())
    publishing = sent(channel, to("q"))
    broker.session.say(1, BasicNack(1, False, False))  # noqa: FBT003 (the wire's order)
    with pytest.raises(PublishRefused):
        await publishing.future


@story
async def test_a_channel_closed_for_an_exchange_that_is_not_there_refuses_what_went_to_it() -> None:
    broker = FakeBroker()
    gone: list[PublisherChannel] = []
    channel = PublisherChannel(await broker.connection(), on_end=gone.append)
    bad, innocent = sent(channel, Outgoing("nope", "", b"")), sent(channel, to("q"))
    broker.session.say(1, ChannelClose(404, "NOT_FOUND - no exchange 'nope' in vhost '/'", 60, 40))
    with pytest.raises(PublishRefused, match="nope"):
        await bad.future
    with pytest.raises(PublishLost):
        await innocent.future
    assert gone == [channel]


@story
async def test_a_channel_closed_for_a_message_refuses_it_if_there_is_no_other() -> None:
    broker = FakeBroker()
    close = ChannelClose(
        406, "PRECONDITION_FAILED - message size 9 is larger than configured max size 8", 60, 40
    )
    alone = sent(PublisherChannel(await broker.connection()), to("q", b"too large"))
    await turns()
    broker.session.say(1, close)
    with pytest.raises(PublishRefused) as refused:
        await alone.future
    assert refused.value.is_final
    # Of several it may be any.
    several = sent(PublisherChannel(await broker.connection()), to("q", b"too large"), to("q"))
    await turns()
    broker.session.say(1, close)
    await several.future
    assert [type(each) for each in several.results] == [PublishLost, PublishLost]


@story
async def test_of_a_batch_that_cannot_be_encoded_nothing_is_sent() -> None:
    broker = FakeBroker()
    channel = PublisherChannel(await broker.connection())
    with pytest.raises(CannotEncode):
        sent(channel, to("q"), to("q" * 256))
    await turns()
    assert broker.session.published == []
    assert channel.confirms.pending == {}


@story
@pytest.mark.parametrize("end", ["confirmed", "refused", "expired"])
async def test_a_channel_for_one_publish_leaves_with_it(end: str) -> None:
    broker = FakeBroker()
    channel = PublisherChannel(await broker.connection(), is_for_one=True)
    publishing = sent(channel, to("q"), to("q"), deadline=5.0)
    publishing.future.add_done_callback(lambda future: future.exception())
    await turns()
    if end == "confirmed":
        broker.session.confirm(1, 1)
        await turns()
        assert channel.is_open
        broker.session.confirm(1, 2)
    elif end == "refused":
        broker.session.say(1, BasicNack(2, True, False))  # noqa: FBT003 (the wire's order)
    else:
        channel.expire(5.0)
    await turns()
    assert not channel.is_open
    assert channel.connection.channels == {}
