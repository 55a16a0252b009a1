from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING

from penstock.client.pool import ChannelPool
from penstock.client.publishing import Publishing
from tests.client.fake import FakeBroker, turns
from tests.client.support import story, to

if TYPE_CHECKING:
    from penstock.client.publisher_channel import PublisherChannel


def fill(channel: PublisherChannel | None, count: int, deadline: float = 10.0) -> None:
    assert channel is not None
    channel.publish(Publishing([to("q")] * count, deadline, asyncio.get_running_loop().create_future()))


@story
async def test_one_channel_is_kept_to_while_it_can_take_more() -> None:
    connection = await FakeBroker().connection()
    pool = ChannelPool(3, 10)
    first = pool.maybe_channel(connection)
    fill(first, 9)
    assert pool.maybe_channel(connection) is first
    fill(first, 1)
    assert pool.maybe_channel(connection) is not first
    assert not pool.is_idle
    assert repr(pool) == "<ChannelPool 2 of 3 channels>"


@story
async def test_when_all_are_full_the_next_confirm_is_waited_for_and_the_emptiest_taken() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    pool = ChannelPool(2, 10)
    first = pool.maybe_channel(connection)
    fill(first, 10)
    second = pool.maybe_channel(connection)
    fill(second, 10)
    assert pool.maybe_channel(connection) is None
    broker.session.confirm(1, 3, multiple=True)
    await turns()
    assert pool.maybe_channel(connection) is first
    fill(first, 3)
    broker.session.confirm(2, 10, multiple=True)
    await turns()
    assert pool.maybe_channel(connection) is second


@story
async def test_a_channel_that_is_gone_is_replaced() -> None:
    connection = await FakeBroker().connection()
    pool = ChannelPool(1, 10)
    first = pool.maybe_channel(connection)
    assert first is not None
    first.close()
    second = pool.maybe_channel(connection)
    assert second is not first
    assert second is not None


@story
async def test_a_size_of_zero_opens_a_channel_for_each_as_long_as_there_are_numbers() -> None:
    broker = FakeBroker()
    connection = await broker.connection()
    pool = ChannelPool(0, 10)
    channels = [pool.maybe_channel(connection) for _ in range(10)]
    assert len(set(channels)) == 10
    assert pool.maybe_channel(connection) is None
    fill(channels[0], 1)
    broker.session.confirm(1, 1)
    await turns()
    assert pool.maybe_channel(connection) is not None
    assert pool.is_idle


@story
async def test_a_connection_without_room_is_no_reason_to_fail() -> None:
    connection = await FakeBroker().connection()
    pool = ChannelPool(20, 1)
    channels = []
    for _ in range(10):
        channels.append(pool.maybe_channel(connection))
        fill(channels[-1], 1)
    assert pool.maybe_channel(connection) is None


@story
async def test_deadlines_of_all_channels_are_looked_at() -> None:
    connection = await FakeBroker().connection()
    pool = ChannelPool(2, 1)
    assert pool.expire(0.0) == inf
    for deadline in (5.0, 3.0):
        fill(pool.maybe_channel(connection), 1, deadline)
    assert pool.expire(2.0) == 3.0
    assert pool.expire(4.0) == 5.0
