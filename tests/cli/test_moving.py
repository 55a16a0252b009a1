from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.cli import moving as module
from penstock.cli.moving import move_messages, run_move
from penstock.client import Client, Outgoing, Queue, connect
from penstock.errors import BadSetting, BrokerRefused, PublishRefused

if TYPE_CHECKING:
    from tests.servers.running import Running


async def filled(client: Client, name: str, count: int, there: Queue) -> None:
    await client.declare(Queue(name), there)
    outgoings = [Outgoing("", name, b"%d" % number) for number in range(count)]
    assert not any(await client.publish_many(outgoings))


async def bodies(client: Client, name: str) -> list[bytes]:
    found = []
    while delivery := await client.get(name):
        found.append(delivery.body)
        delivery.ack()
    return found


def test_many_are_moved_in_order_and_told_as_they_go(running: Running, name: str) -> None:
    async def story() -> None:
        async with await connect(running.url) as client:
            there, told = Queue(f"{name}-there"), list[int]()
            await filled(client, name, 1200, there)
            assert await move_messages(client, name, there.name, 1200, told.append) == 1200
            assert (told[-1], told) == (1200, sorted(told))
            assert await bodies(client, there.name) == [b"%d" % number for number in range(1200)]
            assert await bodies(client, name) == []

    asyncio.run(story())


def test_what_is_beyond_the_count_stays_in_its_place(running: Running, name: str) -> None:
    async def story() -> None:
        async with await connect(running.url) as client:
            there = Queue(f"{name}-there")
            await filled(client, name, 50, there)
            assert await move_messages(client, name, there.name, 20, lambda _: None) == 20
            assert await bodies(client, there.name) == [b"%d" % number for number in range(20)]
            assert await bodies(client, name) == [b"%d" % number for number in range(20, 50)]

    asyncio.run(story())


def test_what_the_other_queue_does_not_take_stays(running: Running, name: str) -> None:
    async def story() -> None:
        async with await connect(running.url) as client:
            there = Queue(f"{name}-there", arguments={"x-max-length": 5, "x-overflow": "reject-publish"})
            await filled(client, name, 20, there)
            with pytest.raises(PublishRefused):
                await move_messages(client, name, there.name, 20, lambda _: None)
            found: set[bytes] = set()
            # They go back without an answer that one could wait for; nothing is in neither queue.
            async with asyncio.timeout(30):
                while len(found) < 20:
                    found |= {*await bodies(client, name), *await bodies(client, there.name)}

    asyncio.run(story())


def test_a_queue_that_somebody_else_empties_is_not_waited_for(
    penstock_server: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.2)

    async def story() -> None:
        async with await connect(penstock_server.url) as client:
            there = Queue(f"{name}-there")
            await filled(client, name, 2, there)
            assert await move_messages(client, name, there.name, 10, lambda _: None) == 2
            assert await move_messages(client, name, there.name, 0, lambda _: None) == 0

    asyncio.run(story())


def test_both_queues_must_be_there_and_be_two(penstock_server: Running, name: str) -> None:
    with pytest.raises(BadSetting, match="both where they are"):
        run_move(penstock_server.url, name, name)
    with pytest.raises(BrokerRefused, match=f"no queue {name}"):
        run_move(penstock_server.url, name, f"{name}-there")
