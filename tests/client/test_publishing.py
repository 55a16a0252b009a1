from __future__ import annotations

import asyncio

import pytest

from penstock.client.publishing import Publishing, SinglePublishing
from penstock.errors import NotConnected, PublishRefused, Unroutable
from tests.client.support import story, to


def future() -> asyncio.Future[None]:
    return asyncio.get_running_loop().create_future()


@story
async def test_a_batch_is_done_when_the_last_is_settled() -> None:
    batch = Publishing([to("a"), to("b"), to("c")], 1.0, future())
    batch.settle()
    error = PublishRefused("no")
    batch.fail(1, error)
    assert not batch.future.done()
    assert repr(batch) == "<Publishing 1 of 3 open, 1 failed>"
    batch.settle()
    await batch.future
    assert batch.results == [None, error, None]


@story
async def test_the_first_error_of_a_message_stays() -> None:
    batch = Publishing([to("a")], 1.0, future())
    unroutable = Unroutable("first")
    batch.errors[0] = unroutable
    batch.fail(0, PublishRefused("second"))
    assert batch.results == [unroutable]


@story
async def test_a_single_one_raises_its_error() -> None:
    good, bad = (SinglePublishing([to("a")], 1.0, future()) for _ in range(2))
    good.settle()
    await good.future
    bad.fail(0, Unroutable("nobody"))
    with pytest.raises(Unroutable, match="nobody"):
        await bad.future


@story
async def test_what_the_caller_has_given_up_is_left_alone() -> None:
    for kind in (Publishing, SinglePublishing):
        publishing = kind([to("a")], 1.0, future())
        publishing.future.cancel()
        publishing.settle()
        publishing.abandon(NotConnected("late"))
        assert publishing.future.cancelled()


@story
async def test_what_was_never_sent_can_be_abandoned() -> None:
    batch = Publishing([to("a"), to("b")], 1.0, future())
    batch.abandon(NotConnected("closed"))
    with pytest.raises(NotConnected, match="closed"):
        await batch.future
