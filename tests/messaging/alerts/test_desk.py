from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.clock import VirtualClock
from penstock.messaging.alerts import AlertDesk
from tests.messaging.alerts.recording import PLAIN, Recording, breathe

if TYPE_CHECKING:
    import pytest

    from penstock.messaging.port import Alerts


def test_every_sender_is_told_once_in_a_window() -> None:
    async def story() -> None:
        clock, senders = VirtualClock(), [Recording(), Recording()]
        desk: Alerts = AlertDesk(senders, clock=clock, window=60)
        for _ in range(1000):
            desk.raise_alert(PLAIN)
        desk.raise_alert(replace(PLAIN, subject="another"))
        await breathe()
        assert [[alert.subject for alert in sender.sent] for sender in senders] == [
            ["commons.Notifications", "another"]
        ] * 2
        clock.advance(60)
        desk.raise_alert(PLAIN)
        assert isinstance(desk, AlertDesk)
        await desk.close()
        assert senders[0].sent[-1] == replace(PLAIN, details={"held_back": 999})
        assert repr(desk) == "<AlertDesk 1002 raised, 999 held back, 2 senders>"

    asyncio.run(story())


def test_a_broken_sender_does_not_keep_the_others_waiting() -> None:
    async def story() -> None:
        stuck, well = Recording(gate=asyncio.Event()), Recording()
        desk = AlertDesk([stuck, well], clock=VirtualClock())
        desk.raise_alert(PLAIN)
        await breathe()
        assert (stuck.sent, well.sent) == ([], [PLAIN])
        await desk.close(within=0.01)

    asyncio.run(story())


def test_without_senders_the_log_is_told(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        desk = AlertDesk(clock=VirtualClock())
        desk.raise_alert(PLAIN)
        await desk.close()

    asyncio.run(story())
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, "3 messages are dead")
    ]


def test_without_an_event_loop_nothing_fails(caplog: pytest.LogCaptureFixture) -> None:
    AlertDesk([Recording()]).raise_alert(PLAIN)
    assert "3 messages are dead" in caplog.text
