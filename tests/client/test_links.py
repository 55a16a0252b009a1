from __future__ import annotations

from typing import Any

from penstock.client import ClientSettings
from penstock.client.counters import Counters
from penstock.client.links import Links
from penstock.client.road import Road
from penstock.clock import VirtualClock
from tests.client.fake import FakeBroker
from tests.client.support import story


def links(**settings: Any) -> Links:
    chosen = ClientSettings(name="orders", **settings)
    counters = Counters()
    return Links(Road(["amqp://one"], FakeBroker().dial, chosen, counters), chosen, counters, VirtualClock())


@story
async def test_a_further_connection_is_opened_when_the_others_have_their_share() -> None:
    them = links(channels_per_connection=2)
    them.main.load = 1
    placed = them.place(4, is_exclusive=False)
    assert placed[0] is them.main
    assert [link.name for link in placed] == ["orders subscriber"] + ["orders subscriber 2"] * 2 + [
        "orders subscriber 3"
    ]
    assert placed[1].is_started
    for link in placed:
        link.load += 1
    assert them.place(1, is_exclusive=False) == [placed[3]]
    await them.close(1)


@story
async def test_consumers_of_exclusive_queues_stay_on_the_main_one() -> None:
    them = links(channels_per_connection=1)
    assert them.place(3, is_exclusive=True) == [them.main] * 3
    assert len(them.all) == 2


@story
async def test_all_that_are_needed_must_be_up() -> None:
    them = links()
    changes: list[bool] = []
    them.on_change = lambda: changes.append(them.are_up)
    assert not them.are_up
    them.main.start()
    await them.main.ready()
    assert them.are_up
    them.publishing.start()
    assert not them.are_up
    await them.publishing.ready()
    assert them.are_up
    assert changes == [True, True]
    assert "orders publisher" in repr(them)
    await them.close(1)
    assert not them.are_up
