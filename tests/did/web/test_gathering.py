from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.did.web.gathering import Gathering
from penstock.errors import NotConnected, PublishLost, PublishRefused
from tests.did.operation_queue.helpers import operation, run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.did.operation_queue import QueuedOperation
    from penstock.errors import PublishError


class Queue:
    """Takes batches when it is let, and writes them down."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.free = asyncio.Event()
        self.errors: dict[str, PublishError] = {}
        self.is_connected = True

    async def add_many(self, operations: Sequence[QueuedOperation]) -> list[PublishError | None]:
        if not self.is_connected:
            raise NotConnected("nobody is there")
        self.batches.append([each.unique_suffix for each in operations])
        await self.free.wait()
        return [self.errors.get(each.unique_suffix) for each in operations]


def test_what_comes_while_others_are_confirmed_goes_together() -> None:
    async def story() -> None:
        queue = Queue()
        gathering = Gathering(queue.add_many, batch=3)
        adding = [asyncio.create_task(gathering.add(operation(1)))]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        adding += [asyncio.create_task(gathering.add(operation(number))) for number in range(2, 7)]
        await asyncio.sleep(0)
        assert queue.batches == [["did-1"]]
        assert not any(task.done() for task in adding)
        queue.free.set()
        await asyncio.gather(*adding)
        assert queue.batches == [["did-1"], ["did-2", "did-3", "did-4"], ["did-5", "did-6"]]

    run(story())


def test_each_is_told_what_became_of_its_own() -> None:
    async def story() -> None:
        queue = Queue()
        queue.free.set()
        queue.errors["did-2"] = PublishLost("nobody can tell")
        gathering = Gathering(queue.add_many)
        adding = [gathering.add(operation(number)) for number in (1, 2, 3)]
        one, two, three = await asyncio.gather(*adding, return_exceptions=True)
        assert one is three is None
        assert isinstance(two, PublishLost)
        assert len(queue.batches) == 1

    run(story())


def test_a_broker_that_is_away_is_everybodys_trouble_and_may_come_back() -> None:
    async def story() -> None:
        queue = Queue()
        queue.free.set()
        gathering = Gathering(queue.add_many)
        queue.is_connected = False
        with pytest.raises(NotConnected):
            await gathering.add(operation(1))
        queue.is_connected = True
        await gathering.add(operation(1))

    run(story())


def test_who_goes_away_harms_nobody() -> None:
    async def story() -> None:
        queue = Queue()
        gathering = Gathering(queue.add_many)
        gone, stays = (asyncio.create_task(gathering.add(operation(number))) for number in (1, 2))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gone.cancel()
        queue.free.set()
        await stays
        assert queue.batches == [["did-1", "did-2"]]

    run(story())


def test_more_than_can_wait_are_turned_away() -> None:
    async def story() -> None:
        queue = Queue()
        gathering = Gathering(queue.add_many, most=2)
        adding = [asyncio.create_task(gathering.add(operation(number))) for number in (1, 2)]
        await asyncio.sleep(0)
        with pytest.raises(PublishRefused):
            await gathering.add(operation(3))
        queue.free.set()
        await asyncio.gather(*adding)
        await gathering.add(operation(3))

    run(story())
