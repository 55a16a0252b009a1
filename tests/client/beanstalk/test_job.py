from __future__ import annotations

from penstock.client.beanstalk import JobFacts
from tests.client.beanstalk.support import jobs, world
from tests.client.support import story


def test_facts_are_what_stats_job_tells() -> None:
    told = b"---\nid: 5\ntube: x\npri: 7\nage: 3\nttr: 60\nreserves: 4\nreleases: 1\nburies: 1\nkicks: 1\n"
    facts = JobFacts.read(told)
    assert facts == JobFacts(priority=7, age=3, ttr=60, reserves=4, releases=1, buries=1)
    # Reserved thrice before, of which two came back by somebody's will.
    assert facts.failures == 1
    assert JobFacts.read(b"---\npri: x\n") == JobFacts()
    assert JobFacts(reserves=1, releases=3).failures == 0


@story
async def test_a_job_is_settled_once() -> None:
    async with world() as (_, client):
        await client.put_many(jobs("q", 3))
        deleted, released, buried = [await client.get("q") for _ in range(3)]
        assert deleted is not None
        assert released is not None
        assert buried is not None
        assert repr(deleted) == "<Job 1 of 'q', in hand>"
        assert await deleted.delete_for_certain()
        assert not await deleted.delete_for_certain()
        released.release(delay=5)
        released.delete()
        buried.bury()
        buried.release()
        state = await client.tubes.state("q")
        assert state is not None
        assert (state.ready, state.reserved, state.delayed, state.buried) == (0, 0, 1, 1)
        assert repr(buried) == "<Job 3 of 'q', settled>"


@story
async def test_a_job_that_was_lost_cannot_be_settled() -> None:
    async with world() as (made, client):
        await client.put_many(jobs("q", 2))
        first, second = await client.get("q"), await client.get("q")
        assert first is not None
        assert second is not None
        made.cut()
        await made.until(lambda: first.is_lost)
        assert repr(first) == "<Job 1 of 'q', lost>"
        assert not await first.delete_for_certain()
        second.delete()
        assert client.counters.stale_acks == 2
