from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.cli import measuring as module
from penstock.cli.measuring import Load, Measure, measured
from penstock.client import Queue, connect

if TYPE_CHECKING:
    from tests.servers.running import Running


@pytest.mark.parametrize("is_persistent", [True, False])
def test_a_broker_is_measured_and_left_as_it_was(
    penstock_server: Running, monkeypatch: pytest.MonkeyPatch, *, is_persistent: bool
) -> None:
    monkeypatch.setattr(module, "ROUND_TRIPS", 20)
    withdrawn: list[str] = []

    async def story() -> list[Measure]:
        async with await connect(penstock_server.url) as client:
            withdraw = client.withdraw

            async def noted(queue: Queue) -> None:
                withdrawn.append(queue.name)
                await withdraw(queue)

            monkeypatch.setattr(client, "withdraw", noted)
            found = await measured(client, Load(count=700, size=10, is_persistent=is_persistent))
            assert await client.queue_state(withdrawn[0]) is None
            return found

    found = asyncio.run(story())
    assert [each.name.partition(",")[0] for each in found] == [
        "publish",
        "deliver",
        "round trip",
        "round trip",
    ]
    assert all(each.value > 0 for each in found)


def test_a_load_is_told_in_words() -> None:
    assert str(Load(count=5, size=10, is_persistent=True)) == "5 persistent messages of 10 bytes"
    assert str(Load(count=5, size=10, is_persistent=False)) == "5 transient messages of 10 bytes"
