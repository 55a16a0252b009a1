from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.messaging.alerts import LogSender
from tests.messaging.alerts.recording import PLAIN

if TYPE_CHECKING:
    import pytest


def test_a_critical_alert_is_a_critical_line(caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(LogSender().send(PLAIN))
    asyncio.run(LogSender().send(replace(PLAIN, is_critical=True, details={"attempts": 5})))
    told = [(record.levelno, record.name, record.getMessage()) for record in caplog.records]
    assert told == [
        (logging.WARNING, "penstock.alerts", "3 messages are dead"),
        (logging.CRITICAL, "penstock.alerts", "3 messages are dead"),
    ]
    facts = vars(caplog.records[1])
    assert (facts["kind"], facts["subject"]) == ("exhausted", "commons.Notifications")
    assert facts["details"] == {"attempts": 5}
