from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

from penstock.cli.sample import load as module
from penstock.cli.sample.load import Load
from penstock.cli.sample.readings import BROKEN
from penstock.errors import NotConnected

if TYPE_CHECKING:
    import pytest


class Works:
    """All that the waterworks talks to, and what it said."""

    def __init__(self) -> None:
        self.said: list[tuple[str, Any]] = []
        self.fails = 0
        self.registered = threading.Event()

    async def measure(self, measured: Any) -> None:
        if self.fails:
            self.fails -= 1
            raise NotConnected("the broker is away")
        self.said.append(("measure", measured.gauge))

    async def forget(self, now: float) -> None:
        self.said.append(("forget", now > 0))

    async def publish(self, channel: str, message: Any) -> None:
        self.said.append(("tell", channel))

    async def put(self, _queue: str, route: str, content: Any, **how: Any) -> None:
        self.said.append((route, how))

    def next(self) -> None:
        self.registered.set()

    def count(self, what: str) -> int:
        return sum(each == what for each, _ in self.said)


def load_of(works: Any, registry: Any = None) -> Load:
    return Load(works, works, works, registry)


def test_three_hundred_moments_hold_a_bit_of_everything() -> None:
    works = Works()

    async def story() -> None:
        load = load_of(works)
        for moment in range(1, 301):
            await load.live(moment)

    asyncio.run(story())
    assert works.count("measure") == 301
    assert ("measure", BROKEN) in works.said
    assert (works.count("tell"), works.count("/valve/inspect"), works.count("/valve/repair")) == (60, 12, 5)
    repairs = [how for what, how in works.said if what == "/valve/repair"]
    assert all(how["key"].startswith("repair valve") and how["delay"] for how in repairs)


def test_old_things_are_forgotten_now_and_then() -> None:
    works = Works()
    asyncio.run(load_of(works).live(module.FORGET_EVERY))
    assert ("forget", True) in works.said


def test_a_did_changes_now_and_then_and_nobody_waits_for_it() -> None:
    works = Works()

    async def story() -> None:
        load = load_of(works, works)
        await load.live(1)
        await asyncio.to_thread(works.registered.wait, 30)

    asyncio.run(story())
    assert works.registered.is_set()


def test_a_failure_is_a_rest_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REST_S", 0.0)
    works = Works()
    works.fails = 3

    async def story() -> None:
        running = asyncio.create_task(load_of(works).run(0.0))
        async with asyncio.timeout(30):
            while works.count("measure") < 3:  # noqa: ASYNC110 (nobody sets an event)
                await asyncio.sleep(0.01)
        running.cancel()

    asyncio.run(story())
