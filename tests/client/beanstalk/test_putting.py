from __future__ import annotations

import asyncio

import pytest

from penstock.client.beanstalk import OutgoingJob, connect
from penstock.errors import PublishLost, PublishRefused, PublishTimeout, Unroutable
from tests.client.beanstalk.support import SETTINGS, STATS, jobs, scripted, settle, world
from tests.client.support import story


@story
async def test_jobs_arrive_in_order_as_they_were_to_be_treated() -> None:
    async with world() as (_, client):
        sent = [*jobs("a", 2, priority=7, ttr=30), *jobs("b", 1), *jobs("a", 600, priority=9)]
        assert await client.put_many(sent) == [None] * 603
        assert await client.put_many([]) == []
        first = await client.get("a")
        assert first is not None
        assert (first.body, first.facts.priority, first.facts.ttr) == (b"0", 7, 30)
        state = await client.tubes.state("a")
        assert state is not None
        assert state.ready == 601
        assert client.counters.confirmed == 603


@story
async def test_a_tube_that_must_be_there_is_asked_about() -> None:
    async with world() as (_, client):
        outcome = await client.put_many(
            [
                OutgoingJob("nobody", b"x", mandatory=True),
                OutgoingJob("somebody", b"x"),
                OutgoingJob("somebody", b"x", mandatory=True),
                OutgoingJob("-bad", b"x"),
            ]
        )
        assert [type(each) for each in outcome] == [Unroutable, type(None), type(None), Unroutable]
        assert "there is no tube 'nobody'" in str(outcome[0])
        assert "no tube can be called '-bad'" in str(outcome[3])
        assert await client.tubes.state("nobody") is None, "to ask about it has not made it"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"JOB_TOO_BIG\r\n", "takes no jobs of that size"),
        (b"DRAINING\r\n", "is being emptied"),
        (b"BURIED 5\r\n", "has buried it at once"),
        (b"INTERNAL_ERROR\r\n", "does not take it: INTERNAL_ERROR"),
    ],
)
@story
async def test_a_refusal_is_told(said: bytes, told: str) -> None:
    async with scripted({"stats": STATS, "use": b"USING q\r\n", "put": said}) as url:
        client = await connect(url, settings=SETTINGS)
        with pytest.raises(PublishRefused, match=told):
            await client.put(OutgoingJob("q", b"x"))
        await client.close(0)


@story
async def test_no_job_goes_where_it_does_not_belong() -> None:
    async with scripted({"stats": STATS, "use": b"NOT_PERMITTED\r\n", "put": b"INSERTED 1\r\n"}) as url:
        client = await connect(url, settings=SETTINGS)
        (error,) = await client.put_many(jobs("secret", 1))
        assert isinstance(error, PublishRefused)
        assert "may not put jobs there" in str(error)
        await client.close(0)


@story
async def test_a_deadline_is_kept() -> None:
    async with scripted({"stats": STATS, "use": b"USING q\r\n"}) as url:
        client = await connect(url, settings=SETTINGS)
        with pytest.raises(PublishTimeout, match="may or may not have arrived"):
            await client.put(OutgoingJob("q", b"x"), timeout=0.1)
        await client.close(0)
    async with world() as (made, client):
        await client.put(OutgoingJob("q", b"x"))
        await made.broker.close()
        await made.until(lambda: not client.is_connected)
        late = asyncio.ensure_future(client.put_many(jobs("q", 1), 5.0))
        await settle()
        made.clock.advance(6)
        (error,) = await late
        assert isinstance(error, PublishTimeout)
        assert "not sent in time" in str(error)


@story
async def test_a_connection_that_goes_leaves_it_open_whether_it_has_arrived() -> None:
    async with scripted({"stats": STATS, "use": b"USING q\r\n", "put": b"no such thing\r\n"}) as url:
        client = await connect(url, settings=SETTINGS)
        with pytest.raises(PublishLost, match="may or may not have arrived"):
            await client.put(OutgoingJob("q", b"x"))
        await client.close(0)
        with pytest.raises(PublishLost, match="not sent: the client is closed"):
            await client.put(OutgoingJob("q", b"x"))
