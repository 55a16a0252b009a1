from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.clock import VirtualClock
from penstock.messaging.alerts.lane import PAUSE_S, Lane
from tests.messaging.alerts.recording import PLAIN, Recording, breathe, pass_by

if TYPE_CHECKING:
    import pytest


def test_what_is_put_is_sent_in_order() -> None:
    async def story() -> None:
        sender = Recording()
        lane = Lane(sender, clock=VirtualClock(), capacity=10)
        alerts = [replace(PLAIN, text=str(i)) for i in range(5)]
        for alert in alerts[:3]:
            lane.put(alert)
        await breathe()
        for alert in alerts[3:]:
            lane.put(alert)
        await lane.drain(1)
        assert (sender.sent, lane.sent, lane.dropped) == (alerts, 5, 0)
        assert repr(lane) == "<Lane Recording: 0 waiting, 5 sent, 0 failed>"

    asyncio.run(story())


def test_a_sender_that_fails_is_asked_again_after_a_pause(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        clock, sender = VirtualClock(), Recording(failures=2)
        lane = Lane(sender, clock=clock, capacity=10)
        lane.put(PLAIN)
        await pass_by(clock, PAUSE_S - 1)
        assert (sender.tries, sender.sent) == (1, [])
        await pass_by(clock, 1)
        await pass_by(clock, PAUSE_S)
        assert (sender.tries, sender.sent, lane.sent, lane.failed) == (3, [PLAIN], 1, 0)

    asyncio.run(story())
    assert "sesame" not in str([vars(record) for record in caplog.records])
    assert len(caplog.records) == 2


def test_after_three_tries_the_next_alert_has_its_turn() -> None:
    async def story() -> None:
        clock, sender = VirtualClock(), Recording(failures=3)
        lane = Lane(sender, clock=clock, capacity=10)
        second = replace(PLAIN, text="second")
        lane.put(PLAIN)
        lane.put(second)
        for _ in range(3):
            await pass_by(clock, PAUSE_S)
        assert (sender.sent, lane.sent, lane.failed) == ([second], 1, 1)

    asyncio.run(story())


def test_a_full_lane_drops_the_oldest_that_waits() -> None:
    async def story() -> None:
        gate = asyncio.Event()
        sender = Recording(gate=gate)
        lane = Lane(sender, clock=VirtualClock(), capacity=2)
        alerts = [replace(PLAIN, text=str(i)) for i in range(4)]
        lane.put(alerts[0])
        await breathe()
        for alert in alerts[1:]:
            lane.put(alert)
        gate.set()
        await lane.drain(1)
        assert (sender.sent, lane.dropped) == ([alerts[0], alerts[2], alerts[3]], 1)

    asyncio.run(story())


def test_draining_waits_no_longer_than_it_is_told() -> None:
    async def story() -> None:
        sender = Recording(gate=asyncio.Event())
        lane = Lane(sender, clock=VirtualClock(), capacity=5)
        lane.put(PLAIN)
        lane.put(PLAIN)
        await lane.drain(0.01)
        assert (sender.sent, lane.dropped) == ([], 1)

    asyncio.run(story())
