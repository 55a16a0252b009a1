from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.client import Queue
from penstock.client.beanstalk import TubeState
from penstock.errors import PublishLost, PublishRefused
from penstock.messaging import Destination, Message
from tests.client.support import story
from tests.messaging.beanstalk.support import adapted, fetched

if TYPE_CHECKING:
    from penstock.errors import PublishError

JOBS = Destination.queue("jobs")


@story
async def test_a_rejected_job_is_at_home_before_it_is_gone() -> None:
    async with adapted() as (broker, _):
        await broker.publish(Message(body=b"x", id="i", headers={"mine": 1}), JOBS)
        received = await fetched(broker, "jobs")
        received.reject()
        received.ack()
        received.requeue()
        received.reject()
        assert not await received.ack_for_certain()
        await broker._dying.drain()
        dead = await fetched(broker, "graves")
        assert [(death.queue, death.reason) for death in dead.deaths] == [("jobs", "rejected")]
        assert (dead.message.id, dead.message.headers["mine"], dead.body) == ("i", 1, b"x")
        assert await broker.fetch("graves") is None
        assert await broker.client.tubes.state("jobs") == TubeState(watching=1)


@story
async def test_without_a_home_a_rejected_job_is_buried() -> None:
    async with adapted(Queue("jobs")) as (broker, _):
        await broker.publish(Message(body=b"x"), JOBS)
        (await fetched(broker, "jobs")).reject()
        state = await broker.client.tubes.state("jobs")
        assert state is not None
        assert (state.ready, state.buried) == (0, 1)


@pytest.mark.parametrize("home", [True, False])
@story
async def test_a_message_that_nobody_took_in_time_is_a_dead_letter_when_it_is_taken(*, home: bool) -> None:
    async with adapted(*(() if home else (Queue("jobs"),))) as (broker, made):
        await broker.publish(Message(body=b"late", expires_in=5.0), JOBS)
        await broker.publish(Message(body=b"in time", expires_in=50.0), JOBS)
        made.clock.advance(6)
        assert (await fetched(broker, "jobs")).body == b"in time"
        await broker._dying.drain()
        if home:
            dead = await fetched(broker, "graves")
            assert (dead.body, dead.deaths[0].reason, dead.message.expires_in) == (b"late", "expired", None)
        state = await broker.client.tubes.state("jobs")
        assert state is not None
        assert (state.ready, state.buried) == (0, 0)


@pytest.mark.parametrize(
    ("error", "expected"),
    [(PublishRefused("no room"), "buried"), (PublishLost("the cable was cut"), "delayed")],
)
@story
async def test_a_job_whose_copy_is_not_at_home_is_not_lost(error: PublishError, expected: str) -> None:
    async with adapted() as (broker, _):
        await broker.publish(Message(body=b"x"), JOBS)
        received = await fetched(broker, "jobs")

        async def fail(_message: Message, _tube: str) -> None:
            raise error

        broker._dying._put = fail
        received.reject()
        await broker._dying.drain()
        state = await broker.client.tubes.state("jobs")
        assert state is not None
        assert getattr(state, expected) == 1
        assert repr(broker._dying) == "<Dying, 0 under way>"
