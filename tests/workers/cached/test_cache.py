from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec
import pytest

from penstock import testing
from penstock.errors import (
    InvalidMessage,
    MessagingError,
    NoReply,
    NotConnected,
    RequestRefused,
    StoreError,
)
from penstock.workers import Worker
from penstock.workers.cached import DatabaseShelf
from penstock.workers.fan import FanExchange
from penstock.workers.gateway import Request, Session
from tests.client.support import until
from tests.workers.cached.support import QUEUE, ROUTE, Chunk, Sky, chunks, system
from tests.workers.gateway.support import opened_broker

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_hit_answers_at_once_and_a_miss_is_computed() -> None:
    async def story() -> None:
        sky = Sky()
        async with system(sky, None) as (_, [cache]):
            assert await cache.get(Chunk(0)) == {"star": 1}
            assert await cache.get(Chunk(0)) == {"star": 1}
            assert await cache.get(Chunk(50)) == {"star": 2}
            assert sky.computed == [0, 50]
            assert repr(cache) == "<Cache starmap, <Waiters: 0 for 0 keys>>"

    asyncio.run(story())


def test_it_works_on_every_broker(mq_url: str | None, name: str) -> None:
    async def story() -> None:
        sky, queue = Sky(), f"bg-{name}"
        cached = chunks(name=name[-8:], queue=queue)
        async with (
            opened_broker(mq_url) as broker,
            Worker(sky.routes(cached), queues=[queue], broker=broker),
            cached.on(broker) as cache,
        ):
            assert await asyncio.gather(*(cache.get(Chunk(0)) for _ in range(20))) == [{"star": 1}] * 20
            await cache.forget(Chunk(0))
            assert await cache.get(Chunk(0)) == {"star": 2}

    asyncio.run(story())


def test_a_thousand_who_ask_at_once_in_several_processes_have_it_computed_once(
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        sky = Sky()
        sky.is_clear.clear()
        async with system(sky, *(database() for _ in range(4)), workers=3) as (_, caches):
            askers = [asyncio.create_task(caches[n % 4].get(Chunk(50 * (n % 2)))) for n in range(1000)]
            await sky.begun.wait()
            late = [asyncio.create_task(cache.get(Chunk(0))) for cache in caches]
            sky.is_clear.set()
            found = await asyncio.gather(*askers, *late)
            assert sorted(sky.computed) == [0, 50]
            assert len({each["star"] for each in found}) == 2

    asyncio.run(story())


def test_without_a_shared_shelf_it_is_computed_once_for_each_process_that_asks() -> None:
    async def story() -> None:
        sky = Sky()
        async with system(sky, None, None) as (_, caches):
            await asyncio.gather(*(cache.get(Chunk(0)) for cache in caches for _ in range(50)))
            assert sky.computed == [0, 0]
            await asyncio.gather(*(cache.get(Chunk(0)) for cache in caches))
            assert sky.computed == [0, 0]

    asyncio.run(story())


def test_a_value_holds_for_its_time() -> None:
    async def story() -> None:
        sky = Sky()
        async with system(sky, None) as (broker, [cache]):
            await cache.get(Chunk(0))
            await broker.advance("299 s")
            assert await cache.get(Chunk(0)) == {"star": 1}
            await broker.advance("1 s")
            assert await cache.get(Chunk(0)) == {"star": 2}

    asyncio.run(story())


@pytest.mark.parametrize("is_shared", [False, True])
def test_what_is_forgotten_anywhere_is_made_anew_everywhere(
    is_shared: bool,  # noqa: FBT001  a column of the table
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        sky = Sky()
        shelves = [database() if is_shared else None for _ in range(2)]
        async with system(sky, *shelves) as (broker, [here, there]):
            old = await there.get(Chunk(0))
            await here.forget(Chunk(0), Chunk(50))
            await broker.settled()
            new = await there.get(Chunk(0))
            assert new["star"] > old["star"]

    asyncio.run(story())


def test_who_asked_before_it_was_forgotten_gets_it_and_who_asks_after_does_not(
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        sky = Sky()
        sky.is_clear.clear()
        async with system(sky, database()) as (_, [cache]):
            before = asyncio.create_task(cache.get(Chunk(0)))
            await sky.begun.wait()
            # When a fleet arrives while the chunk is computed
            await cache.forget(Chunk(0))
            sky.begun.clear()
            after = asyncio.create_task(cache.get(Chunk(0)))
            await sky.begun.wait()
            sky.is_clear.set()
            assert (await before, await after) == ({"star": 1}, {"star": 2})
            assert await cache.get(Chunk(0)) == {"star": 2}

    asyncio.run(story())


def test_without_a_worker_there_is_a_clear_failure_at_the_deadline() -> None:
    async def story() -> None:
        async with system(Sky(), None, workers=0) as (broker, [cache]):
            asking = asyncio.create_task(cache.get(Chunk(0), timeout=25))
            for _ in range(30):
                await broker.advance("1 s")
            with pytest.raises(NoReply, match=r"0 of starmap is not there after 25 s: does a worker run\?"):
                await asking
            assert broker.queue(QUEUE).depth == 1, "it is safe there, and one more would be of no use"
            # A queue may be purged: some time later it is asked for anew.
            await broker.advance("5 min")
            again = asyncio.create_task(cache.get(Chunk(0)))
            await until(lambda: broker.queue(QUEUE).depth == 2)
            again.cancel()

    asyncio.run(story())


@pytest.mark.parametrize("is_shared", [True, False])
def test_what_waits_long_for_a_worker_is_computed_once(
    database: Callable[[], DatabaseShelf], *, is_shared: bool
) -> None:
    async def story() -> None:
        sky, shelf = Sky(), database() if is_shared else None
        async with system(sky, shelf, workers=0) as (broker, [cache]):
            askers = [asyncio.create_task(cache.get(Chunk(0), timeout=60)) for _ in range(5)]
            for _ in range(22):
                await broker.advance("1 s")
                await asyncio.sleep(0.001)
            async with Worker(sky.routes(chunks(shelf)), broker=await broker.port()):
                assert await asyncio.gather(*askers) == [{"star": 1}] * 5
            assert sky.computed == [0]

    asyncio.run(story())


def test_who_claimed_and_died_before_the_job_was_put_holds_up_nobody_for_long(
    database: Callable[[], DatabaseShelf],
) -> None:
    async def story() -> None:
        sky, shelf = Sky(), database()
        async with system(sky, shelf) as (broker, [cache]):
            now = (await broker.port()).clock.now()
            shelf.claim(chunks().entry(Chunk(0)), now=now, until=now + 10)
            asking = asyncio.create_task(cache.get(Chunk(0)))
            for _ in range(11):
                await broker.advance("1 s")
                await asyncio.sleep(0.01)
            assert await asking == {"star": 1}

    asyncio.run(story())


def test_what_is_no_news_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with system(Sky(), None) as (broker, [cache]):
            await FanExchange(await broker.port()).publish("ps_cached_starmap", ["no news"])
            assert await cache.get(Chunk(0)) == {"star": 1}

    asyncio.run(story())
    assert "this is no news of a cache" in caplog.text


def test_one_asks_while_it_listens() -> None:
    async def story() -> None:
        async with testing.broker() as broker:
            cache = chunks().on(await broker.port())
            with pytest.raises(MessagingError, match="is not listening: `async with` it first"):
                await cache.get(Chunk(0))
            async with cache:
                with pytest.raises(MessagingError, match="is open on this broker already"):
                    await cache.__aenter__()
            async with cache:
                with pytest.raises(InvalidMessage, match="51 is off its boundary"):
                    await cache.get(Chunk(51))

    asyncio.run(story())


def test_a_claim_is_given_up_when_the_broker_does_not_take_the_job() -> None:
    async def story() -> None:
        async with testing.broker() as broker:
            cached = chunks()
            async with cached.on(port := await broker.port()) as cache:
                await port.close()
                for _ in range(2):
                    with pytest.raises(NotConnected):
                        await cache.get(Chunk(0))

    asyncio.run(story())


@pytest.mark.parametrize(
    ("content", "status", "message"),
    [
        (b'{"left": 51}', 400, "51 is off its boundary"),
        (b'{"left": "x"}', 400, "takes something else"),
        (b'{"left": -50}', 500, "there is nothing on the left"),
        (b'{"left": 1050}', 404, "beyond the end of the sky"),
    ],
    ids=["boundary", "type", "failure", "refusal"],
)
def test_a_gateways_client_is_told_why_there_is_no_answer(content: bytes, status: int, message: str) -> None:
    async def story() -> None:
        async with system(Sky(), None) as (_, [cache]):
            request = Request(ROUTE, content=msgspec.Raw(content))
            with pytest.raises(RequestRefused, match=message) as refused:
                await cache.answer(Session(user_id=3), request)
            assert refused.value.status == status

    asyncio.run(story())


def test_a_gateways_client_gets_the_value_as_it_is() -> None:
    async def story() -> None:
        async with system(Sky(), None) as (_, [cache]):
            request = Request(ROUTE, content=msgspec.Raw(b'{"left": 0}'))
            assert bytes(await cache.answer(Session(user_id=3), request)) == b'{"star":1}'

    asyncio.run(story())


def test_a_shelf_that_is_away_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        shelf = DatabaseShelf(f"sqlite:///{tmp_path / 'nowhere' / 'cache.db'}")
        async with system(Sky(), shelf, workers=0) as (_, [cache]):
            with pytest.raises(StoreError):
                await cache.get(Chunk(0))
            with pytest.raises(RequestRefused) as refused:
                await cache.answer(Session(user_id=3), Request(ROUTE, content=msgspec.Raw(b'{"left": 0}')))
            assert refused.value.status == 503
        shelf.close()

    asyncio.run(story())
