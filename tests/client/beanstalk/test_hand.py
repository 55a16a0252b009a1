from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.client.beanstalk import OutgoingJob, connect
from penstock.client.beanstalk.hand import watch
from penstock.errors import LoginRefused, NotConnected
from tests.client.beanstalk.support import SETTINGS, STATS, jobs, scripted, world
from tests.client.support import story

if TYPE_CHECKING:
    from penstock.client.beanstalk import Job


@story
async def test_a_job_in_hand_is_touched_as_long_as_it_takes() -> None:
    async with world() as (made, client):
        await client.put(OutgoingJob("q", b"long", ttr=4))
        job = await client.get("q")
        assert job is not None
        await made.pass_by(20)
        assert await job.delete_for_certain()


@story
async def test_a_job_that_is_touched_too_late_is_somebody_elses() -> None:
    async with world() as (made, client):
        await client.put(OutgoingJob("q", b"long", ttr=4))
        job = await client.get("q")
        assert job is not None
        # The machine slept.
        made.clock.advance(30)
        await made.until(lambda: job.is_lost)
        again = await client.get("q")
        assert again is not None
        assert (again.body, again.facts.reserves, again.facts.failures) == (b"long", 2, 1)
        assert again.facts.age == 30


@story
async def test_what_comes_is_of_its_tube_and_no_other() -> None:
    async with world() as (_, client):
        await client.put_many([*jobs("default", 1), *jobs("q", 1)])
        job = await client.get("q")
        assert job is not None
        assert (job.tube, job.body) == ("q", b"0")
        assert await client.get("q") is None
        other = await client.get("default")
        assert other is not None
        assert other.tube == "default"


@story
async def test_what_was_in_hand_at_a_loss_comes_again() -> None:
    async with world() as (made, client):
        await client.put(OutgoingJob("q", b"x"))
        job = await client.get("q")
        assert job is not None
        made.cut()
        await made.until(lambda: job.is_lost and client.is_connected, step=0.5)
        found: list[Job] = []

        async def look() -> None:
            again = await client.get("q")
            if again is not None:
                found.append(again)

        while not found:
            made.clock.advance(0.5)
            await look()
        assert found[0].facts.reserves == 2


@pytest.mark.parametrize(
    ("said", "error", "told"),
    [
        (b"NOT_PERMITTED\r\n", LoginRefused, "may not take jobs from the tube 'q'"),
        (b"OUT_OF_MEMORY\r\n", NotConnected, "cannot be watched: the server said OUT_OF_MEMORY"),
    ],
)
@story
async def test_a_tube_that_cannot_be_watched_is_told(said: bytes, error: type[Exception], told: str) -> None:
    async with scripted({"watch": said, "stats": STATS}) as url:
        client = await connect(url, settings=SETTINGS)
        connection = await client.tubes._link.ready()
        with pytest.raises(error, match=told):
            await watch(connection, "q", 30)
        await client.close(0)


@story
async def test_a_reserved_job_that_is_gone_before_it_is_told_of_is_none() -> None:
    said = {
        "watch": b"WATCHING 2\r\n",
        "ignore": b"WATCHING 1\r\n",
        "stats": STATS,
        "reserve-with-timeout": b"RESERVED 1 1\r\nx\r\n",
        "stats-job": b"NOT_FOUND\r\n",
    }
    async with scripted(said) as url:
        client = await connect(url, settings=SETTINGS)
        assert await client.get("q") is None
        await client.close(0)
