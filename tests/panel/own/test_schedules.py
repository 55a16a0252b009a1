"""Schedules over HTTP, from whatever source there is."""

from __future__ import annotations

import asyncio

from penstock.panel.own import Resources
from penstock.panel.own.port import Schedule
from tests.panel.asgi import opened

PATH = "/api/penstock/schedules"


class Kept:
    """Schedules in memory."""

    def __init__(self) -> None:
        self.jobs = {"a/b": Schedule(kind="job", key="a/b", due_at=60.0, queue="work")}
        self.ran: list[str] = []

    async def listed(self, limit: int) -> list[Schedule]:
        return list(self.jobs.values())[:limit]

    async def run(self, key: str) -> bool:
        self.ran += [key] if key in self.jobs else []
        return key in self.jobs

    async def cancel(self, key: str) -> bool:
        return self.jobs.pop(key, None) is not None


def test_they_are_listed_run_and_cancelled() -> None:
    async def story() -> None:
        kept = Kept()
        async with opened(resources=Resources(schedules=kept)) as guest:
            (told,) = (await guest.get(PATH)).json
            assert (told["kind"], told["key"], told["due_at"], told["queue"]) == ("job", "a/b", 60.0, "work")
            assert (await guest.post(f"{PATH}/a%2Fb/run")).status == 204
            assert kept.ran == ["a/b"]
            assert (await guest.ask("DELETE", f"{PATH}/a%2Fb")).status == 204
            assert (await guest.ask("DELETE", f"{PATH}/a%2Fb")).status == 404
            assert (await guest.post(f"{PATH}/a%2Fb/run")).status == 404
            assert (await guest.get(PATH)).json == []

    asyncio.run(story())
