from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.client.beanstalk import OutgoingJob, connect
from penstock.errors import LoginRefused, NotConnected
from tests.client.beanstalk.support import SETTINGS, STATS, jobs, scripted, world
from tests.client.support import HASTY, story, until

if TYPE_CHECKING:
    from penstock.client.beanstalk import Job
    from tests.servers.running import Running


@story
async def test_a_thousand_jobs_go_round(tube_server: Running, name: str) -> None:
    async with await connect(tube_server.url, settings=HASTY) as client:
        came: list[Job] = []

        def take(several: list[Job]) -> None:
            came.extend(several)
            for job in several:
                job.delete()

        await client.consume(name, take, window=100)
        assert await client.put_many(jobs(name, 1000)) == [None] * 1000
        await until(lambda: len(came) == 1000)
        assert [job.body for job in came] == [b"%d" % number for number in range(1000)]
    async with await connect(tube_server.url, settings=HASTY) as client:
        assert await client.tubes.state(name) is None, "all are deleted, and nobody needs the tube"


@story
async def test_a_real_server_hears_that_a_job_is_worked_on(beanstalkd_server: Running, name: str) -> None:
    async with await connect(beanstalkd_server.url, settings=HASTY) as client:
        await client.put(OutgoingJob(name, b"x", ttr=1))
        job = await client.get(name)
        assert job is not None
        await asyncio.sleep(1.3)
        assert await job.delete_for_certain()


@story
async def test_a_client_says_whether_it_is_connected() -> None:
    async with world() as (_, client):
        assert client.is_connected
        assert repr(client) == "<BeanstalkClient of beanstalk://here:11300, up>"
        await client.close()
        assert not client.is_connected
        with pytest.raises(NotConnected):
            await client.get("q")


@story
async def test_a_job_for_one_who_has_gone_goes_back() -> None:
    async with world() as (made, client):
        await client.get("q")
        await client.put(OutgoingJob("q", b"x"))
        asking = asyncio.ensure_future(client.get("q"))
        await asyncio.sleep(0)
        asking.cancel()
        # It is released when its facts are known, and that is heard.
        await made.until(lambda: client.counters.acked == 1)
        again = await client.get("q")
        assert again is not None
        assert (again.facts.reserves, again.facts.releases) == (2, 1)


@story
async def test_a_tube_that_may_not_be_watched_is_told_at_once() -> None:
    async with scripted({"stats": STATS, "watch": b"NOT_PERMITTED\r\n"}) as url:
        client = await connect(url, settings=SETTINGS)
        with pytest.raises(LoginRefused, match="may not take jobs from the tube 'q'"):
            await client.consume("q", lambda _: None, window=1)
        await client.close(0)
