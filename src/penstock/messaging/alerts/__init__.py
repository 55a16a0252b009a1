"""Alerts: what a person should know, told once per window, to a log, a webhook and by e-mail.

    desk = AlertDesk([LogSender(), WebhookSender("https://hooks.example/…")], clock=clock)
    desk.raise_alert(Alert(kind=EXHAUSTED, subject="commons.Notifications", text="…"))
    await desk.close()

`AlertDesk` is the port's `Alerts`: raising one never waits and never fails. Dedupe is pure (dedupe.py); each
sender has a lane of its own (lane.py), so that a slow one keeps nobody else waiting.
"""

from penstock.messaging.alerts.dedupe import Dedupe
from penstock.messaging.alerts.desk import AlertDesk
from penstock.messaging.alerts.email import EmailSender
from penstock.messaging.alerts.kinds import (
    DEAD_LETTER,
    EXHAUSTED,
    KINDS,
    PAUSED,
    RELAY_FAILING,
    STUCK_CONSUMER,
    UNROUTED,
)
from penstock.messaging.alerts.log import LogSender
from penstock.messaging.alerts.sender import Sender
from penstock.messaging.alerts.webhook import WebhookSender

__all__ = [
    "DEAD_LETTER",
    "EXHAUSTED",
    "KINDS",
    "PAUSED",
    "RELAY_FAILING",
    "STUCK_CONSUMER",
    "UNROUTED",
    "AlertDesk",
    "Dedupe",
    "EmailSender",
    "LogSender",
    "Sender",
    "WebhookSender",
]
