"""Alerts in the log: the sender that needs nothing."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.messaging.port import Alert

__all__ = ["LogSender"]

_log = logging.getLogger("penstock.alerts")


class LogSender:
    """Writes each alert as one line: critical ones as CRITICAL, others as WARNING."""

    __slots__ = ()

    async def send(self, alert: Alert) -> None:
        level = logging.CRITICAL if alert.is_critical else logging.WARNING
        facts = {"kind": alert.kind, "subject": alert.subject, "details": dict(alert.details)}
        _log.log(level, "%s", alert.text, extra=facts)
