"""What is written on a message that dies in a tube: RabbitMQ's x-death, for want of beanstalk's own. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from penstock.messaging.headers import count_of

if TYPE_CHECKING:
    from penstock.messaging.message import Destination, Message

__all__ = ["dead"]

DEATHS: Final = "x-death"


def dead(message: Message, *, queue: str, reason: str, to: Destination, now: float) -> Message:
    """The message, with one death more; it lives on for as long as it takes.

    Args:
        message: As it was taken.
        queue: Where it died.
        reason: rejected or expired.
        to: What it was published to.
        now: When it died.
    """
    entries = message.headers.get(DEATHS)
    before = [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    same = [each for each in before if (each.get("queue"), each.get("reason")) == (queue, reason)]
    death: dict[str, Any] = {
        "queue": queue,
        "reason": reason,
        "exchange": to.exchange,
        "routing-keys": [to.key],
        "count": sum(count_of(each, "count") for each in same) + 1,
        # Of the first, as RabbitMQ has it.
        "time": same[-1].get("time", int(now)) if same else int(now),
    }
    deaths = [death, *(each for each in before if each not in same)]
    return replace(message, headers={**message.headers, DEATHS: deaths}, expires_in=None, delay=0.0)
