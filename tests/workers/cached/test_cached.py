from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from penstock.errors import BadChannel, InvalidMessage, MessagingError, PersistentError
from penstock.messaging import open_broker
from penstock.workers import Job, Route
from penstock.workers.cached import Cached, MemoryShelf
from penstock.workers.cached.shelf import Entry
from tests.messaging.fakes import FakeBroker


class Chunk(msgspec.Struct):
    left: int


def chunks(**changed: Any) -> Cached[Chunk]:
    options: dict[str, Any] = {"queue": "bg_starmap", "route": "/chunk", "key": lambda chunk: str(chunk.left)}
    return Cached(**{"name": "starmap", "content": Chunk, **options, **changed})


def test_a_key_belongs_to_its_cache() -> None:
    assert chunks().entry(Chunk(50)) == Entry("starmap", "50")
    assert "/chunk on bg_starmap" in repr(chunks())


@pytest.mark.parametrize("key", ["", "x" * 501])
def test_a_key_has_a_length(key: str) -> None:
    with pytest.raises(InvalidMessage, match="a key of starmap has 1 to 500 characters"):
        chunks(key=lambda _: key).entry(Chunk(50))


@pytest.mark.parametrize("wrong", [{"lasts": 0}, {"room": 0}, {"takes": -1}])
def test_a_cache_that_could_keep_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MessagingError, match="the cache starmap keeps nothing"):
        chunks(**wrong)


def test_its_name_is_part_of_a_channels() -> None:
    assert chunks().channel == "ps_cached_starmap"
    with pytest.raises(BadChannel):
        chunks(name="star map")


def test_each_process_has_a_shelf_of_its_own_unless_one_is_named() -> None:
    assert isinstance(chunks().shelf, MemoryShelf)
    shelf = MemoryShelf()
    assert chunks(shelf=shelf).shelf is shelf


def test_a_handler_that_fills_is_still_read_by_its_annotation() -> None:
    async def get_map_chunk(job: Job[Chunk]) -> int:
        return job.content.left

    route = Route(name="/chunk", handler=chunks().fills(get_map_chunk))
    assert route.read(b'{"left": 50}') == Chunk(50)


def test_there_is_one_cache_for_each_broker() -> None:
    async def story() -> None:
        broker, cached = await open_broker(None), chunks()
        assert cached.on(broker) is cached.on(broker)
        await broker.close()
        with pytest.raises(PersistentError, match="a cache needs a broker that speaks AMQP"):
            cached.on(FakeBroker())

    asyncio.run(story())
