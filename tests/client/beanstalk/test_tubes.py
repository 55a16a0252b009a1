from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.client.beanstalk import OutgoingJob, TubeState, connect
from tests.client.beanstalk.support import world
from tests.client.support import story

if TYPE_CHECKING:
    from tests.servers.running import Running


@story
async def test_what_is_declared_is_there_after_every_loss() -> None:
    async with world() as (made, client):
        other = await made.client()
        assert await client.tubes.state("q") is None
        await client.tubes.declare("q", "r")
        await client.tubes.declare("q")
        assert await client.tubes.state("q") == TubeState()
        assert await other.tubes.state("q") == TubeState(watching=1)
        made.cut()
        await made.until(lambda: not client.is_connected)
        await made.until(lambda: client.is_connected and other.is_connected, step=0.5)
        assert await other.tubes.is_there("q")
        await client.tubes.withdraw("q", "s")
        assert not await other.tubes.is_there("q")
        await client.put(OutgoingJob("q", b"x"))
        assert await other.tubes.is_there("q")
        job = await other.get("q")
        assert job is not None
        assert await job.delete_for_certain()
        await other._fetching["q"].close(5)
        assert await other.tubes.state("q") == TubeState(), "it is used"
        assert not await other.tubes.is_there("q"), "and nobody listens"
        assert "<Tubes r over" in repr(client.tubes)
        await other.close(0)


@story
async def test_a_tube_tells_how_full_it_is() -> None:
    async with world() as (_, client):
        await client.put(OutgoingJob("q", b"x"))
        await client.put(OutgoingJob("q", b"x", delay=9))
        assert await client.tubes.state("q") == TubeState(ready=1, delayed=1)


@story
async def test_a_question_is_asked_again_after_a_loss() -> None:
    async with world() as (made, client):
        await client.tubes.declare("q")
        made.cut()
        made.clock.advance(5)
        done: list[TubeState | None] = []

        async def ask() -> None:
            done.append(await client.tubes.state("q"))

        asking = asyncio.ensure_future(ask())
        await made.until(lambda: done, step=0.5)
        await asking
        assert done == [TubeState()]


@story
async def test_a_server_says_what_it_is(tube_server: Running) -> None:
    async with await connect(tube_server.url) as client:
        server = client.tubes.server
        assert server.product == ("beanstalkd" if tube_server.name == "beanstalkd" else "Penstock")
        assert server.version >= (0, 1)
        assert len(server.id) == 16
        assert server.max_job == 65_535
