from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.client.beanstalk import OutgoingJob
from tests.client.beanstalk.support import jobs, settle, world
from tests.client.support import story

if TYPE_CHECKING:
    from penstock.client.beanstalk import Job


@story
async def test_so_many_are_in_hand_and_more_come_as_they_are_settled() -> None:
    async with world() as (made, client):
        await client.put_many(jobs("q", 10))
        came: list[Job] = []
        consumption = await client.consume("q", came.extend, window=4)
        assert consumption.is_live
        await made.until(lambda: len(came) == 4)
        await settle()
        assert (len(came), consumption.in_hand) == (4, 4)
        assert "taking, 4 of 4 in hand" in repr(consumption)
        for job in came[:3]:
            job.delete()
        await made.until(lambda: len(came) == 7, step=0.01)
        assert [job.body for job in came] == [b"%d" % number for number in range(7)]


@story
async def test_a_job_that_comes_while_others_are_in_hand_is_found() -> None:
    async with world() as (made, client):
        came: list[Job] = []
        await client.put(OutgoingJob("q", b"long"))
        await client.consume("q", came.extend, window=4)
        await made.until(lambda: len(came) == 1)
        # The tube is empty now, and looked at less and less often.
        await made.pass_by(1)
        await client.put(OutgoingJob("q", b"short"))
        await made.pass_by(0.06, step=0.01)
        assert [job.body for job in came] == [b"long", b"short"]


@story
async def test_with_nothing_in_hand_the_server_waits_and_nobody_asks() -> None:
    async with world() as (made, client):
        came: list[Job] = []
        consumption = await client.consume("q", came.extend, window=4)
        await made.until(lambda: "waiting" in repr(consumption))
        asked = made.broker.beanstalk.commands.copy()
        await made.pass_by(20, step=1)
        assert made.broker.beanstalk.commands == asked
        # It is asked again when it has waited for long.
        await made.pass_by(60, step=1)
        await client.put(OutgoingJob("q", b"x"))
        await made.until(lambda: came)
        came[0].delete()
        await made.until(lambda: "waiting" in repr(consumption))


@story
async def test_after_a_loss_it_takes_on() -> None:
    async with world() as (made, client):
        came: list[Job] = []
        consumption = await client.consume("q", came.extend, window=2)
        await client.put_many(jobs("q", 3))
        await made.until(lambda: len(came) == 2)
        made.cut()
        await made.until(lambda: len(came) == 4, step=0.5)
        assert [job.is_lost for job in came] == [True, True, False, False]
        assert consumption.in_hand == 2
        for job in came:
            job.delete()
        await made.until(lambda: len(came) == 5, step=0.01)


@story
async def test_who_cancels_gets_no_more_and_may_settle_what_is_in_hand() -> None:
    async with world() as (made, client):
        await client.put_many(jobs("q", 3))
        came: list[Job] = []
        consumption = await client.consume("q", came.extend, window=2)
        await made.until(lambda: len(came) == 2)
        await consumption.cancel()
        assert not consumption.is_live
        assert len(client._hands) == 1
        for job in came:
            assert await job.delete_for_certain()
        await made.pass_by(1)
        assert len(came) == 2
        assert client._hands[0].is_closed, "the connection is not kept for nothing"
        state = await client.tubes.state("q")
        assert state is not None
        assert (state.ready, state.reserved) == (1, 0)


@story
async def test_what_comes_to_one_who_has_cancelled_goes_back() -> None:
    async with world() as (made, client):
        await client.put_many(jobs("q", 2))
        came: list[Job] = []
        consumption = await client.consume("q", came.extend, window=2)
        await consumption.cancel()
        await made.until(lambda: client._hands[0].is_closed)
        await settle()
        assert came == []
        job = await client.get("q")
        assert job is not None
        assert job.facts.failures == 0, "nobody is to blame for it"
