"""Workers and pipelines over HTTP, as their sources tell."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from penstock.panel.own import Resources
from penstock.panel.own.port import Pipeline, Worker
from tests.panel.asgi import opened

TOLD: dict[str, Any] = {
    "workers": Worker(
        name="w", host="h", pid=1, started_at=1.0, seen_at=2.0, queues=["q"], done=3, failed=0, jobs=[]
    ),
    "pipelines": Pipeline(name="threads", state="running", batch=3, rate=12.5, ui="http://spark:4040"),
}


class Source:
    """Tells one thing."""

    def __init__(self, told: Any) -> None:
        self._told = told

    async def listed(self) -> list[Any]:
        return [self._told]


@pytest.mark.parametrize("name", TOLD)
def test_what_a_source_tells_is_what_the_api_answers(name: str) -> None:
    async def story() -> None:
        resources = Resources()
        setattr(resources, name, Source(TOLD[name]))
        async with opened(resources=resources) as guest:
            (told,) = (await guest.get(f"/api/penstock/{name}")).json
            assert told == {field: getattr(TOLD[name], field) for field in TOLD[name].__struct_fields__}

    asyncio.run(story())


@pytest.mark.parametrize("name", TOLD)
def test_without_a_source_there_is_nothing_there(name: str) -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await guest.get(f"/api/penstock/{name}")
            assert (answer.status, "was not told" in answer.json["reason"]) == (404, True)

    asyncio.run(story())
