from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.store import Batch, MemoryStore, SqliteStore, Standing
from penstock.testing.disk import Disk
from penstock.testing.faults import Faults

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.store import Store


def batch(number: int) -> Batch:
    made = Batch(number)
    made.plain_messages = [(number, 1, b"content", "", "q", 7)]
    made.plain_references = [(1, 0, number, number)]
    return made


def test_it_is_the_store(tmp_path: Path) -> None:
    async def story() -> None:
        inner = SqliteStore(tmp_path)
        disk = Disk(inner, Faults(), asyncio.get_running_loop())
        as_store: Store = disk
        await asyncio.to_thread(as_store.write, batch(1))
        assert await asyncio.to_thread(disk.tidy) is False
        assert disk.contents is inner.contents
        assert disk.damaged == []
        assert disk.definitions() == []
        assert [line.queue for line in disk.lines()] == [1]
        assert (disk.last_message(), disk.weigh(1)) == (1, 7)
        assert [found.content for found in disk.fetch(1, 0, 0, 9, 9)] == [b"content"]
        assert disk.aside(1, Standing.DELAYED, (-1, -1), 9) == []
        assert disk.expiring(1, (0.0, 0, 0), 9) == []
        assert repr(disk) == f"<Disk in use, {inner!r}>"
        disk.close()
        # The folder is free again.
        SqliteStore(tmp_path).close()

    asyncio.run(story())


def test_a_dead_brokers_disk_takes_nothing() -> None:
    store = MemoryStore()

    async def story() -> None:
        faults = Faults()
        disk = Disk(store, faults, asyncio.get_running_loop())
        disk.is_dead = True
        with faults.trap("commit", 1, lambda: None) as trap:
            await asyncio.to_thread(disk.write, batch(1))
        assert not trap.has_sprung
        assert disk.tidy() is False
        assert repr(disk) == "<Disk of a dead broker, <MemoryStore 0 messages>>"

    asyncio.run(story())
    assert store.last_message() == 0


@pytest.mark.parametrize(("point", "written"), [("commit", 1), ("committed", 2)])
def test_a_trap_at_a_commit_springs_on_the_loop_before_or_after_it(point: str, written: int) -> None:
    async def story() -> None:
        store, faults = MemoryStore(), Faults()
        disk = Disk(store, faults, asyncio.get_running_loop())

        def kill() -> None:
            # Only there is a loop running.
            asyncio.get_running_loop()
            disk.is_dead = True

        with faults.trap(point, 2, kill):
            for number in (1, 2, 3):
                await asyncio.to_thread(disk.write, batch(number))
        assert store.last_message() == written

    asyncio.run(story())
