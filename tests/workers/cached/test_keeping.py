from __future__ import annotations

import asyncio

import msgspec

from penstock import testing
from penstock.workers.cached.keeping import Keeping
from penstock.workers.cached.notice import Notice
from penstock.workers.cached.shelf import Claim
from tests.workers.cached.support import Chunk, chunks


def test_times_are_the_brokers_and_lengths_are_the_caches() -> None:
    async def story() -> None:
        async with testing.broker() as broker:
            cached = chunks(lasts=60.0, room=10)
            keeping, entry = Keeping(cached, await broker.port()), cached.entry(Chunk(0))
            claim = await keeping.claim(entry, 5.0)
            assert isinstance(claim, Claim)
            assert claim.until == keeping.clock.now() + 5.0
            assert not keeping.keep(entry, "another's", b"1")
            assert keeping.keep(entry, claim.token, b"1")
            await broker.advance("59 s")
            assert await keeping.claim(entry, 5.0) == b"1"
            await broker.advance("1 s")
            again = await keeping.claim(entry, 5.0)
            assert isinstance(again, Claim)
            assert not keeping.keep(entry, again.token, b"more than there is room for")
            assert repr(keeping) == "<Keeping of starmap on <MemoryShelf of 0, 0 bytes>>"

    asyncio.run(story())


def test_a_claim_that_is_given_up_is_anybodys() -> None:
    async def story() -> None:
        async with testing.broker() as broker:
            cached = chunks()
            keeping, entry = Keeping(cached, await broker.port()), cached.entry(Chunk(0))
            claim = await keeping.claim(entry, 5.0)
            assert isinstance(claim, Claim)
            await keeping.release(entry, "another's", claim.token)
            again = await keeping.claim(entry, 5.0)
            assert isinstance(again, Claim)
            assert again.is_own

    asyncio.run(story())


def test_news_that_nobody_listens_to_is_gone() -> None:
    async def story() -> None:
        async with testing.broker() as broker:
            keeping = Keeping(chunks(), await broker.port())
            await keeping.tell(Notice(key="0", of=("t1",), value=msgspec.Raw(b"1")))

    asyncio.run(story())
