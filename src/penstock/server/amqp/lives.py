"""Messages' lives, told to whoever binds a queue to `amq.penstock.lives`: for event logs, for a close look.

For each kind of step there is one message a turn, or a few if much has happened: a JSON list, a row for each
step. The routing key is the kind: `dead` gets what there is about the dead, and `#` gets everything. The rows
of a virtual host are numbered in the order in which things happened, from 1 at the broker's start.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from penstock.broker import LIVES
from penstock.server.amqp.message import AmqpMessage
from penstock.server.amqp.terms import read_terms
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames
from penstock.wire.amqp.errors import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.broker import VirtualHost
    from penstock.wiring import Event

    Tell = Callable[[VirtualHost, list[Event], float], None]

__all__ = ["Teller"]

#: Rows in a message: about 50 KiB.
ROWS_MOST: Final = 250
CONTENT: Final = BasicProperties.of(content_type="application/json", delivery_mode=2, type="penstock.lives")


class Teller:
    """Publishes what happened in each virtual host."""

    def __init__(self) -> None:
        self._numbers: dict[str, Iterator[int]] = {}
        self._terms = read_terms(CONTENT)
        #: Somebody in this process who wants to hear of it, too.
        self.also: Tell | None = None

    def __call__(self, host: VirtualHost, events: list[Event], now: float) -> None:
        """Tell it, if anybody asked."""
        if self.also is not None:
            self.also(host, events, now)
        if not host.wiring.proxy(LIVES).registrations:
            return
        numbers = self._numbers.setdefault(host.name, count(1))
        rows: dict[str, list[dict[str, Any]]] = {}
        for event in events:
            rows.setdefault(event.step.value, []).append(_row(event, next(numbers), now))
        messages = [
            self._message(step, of_step[at : at + ROWS_MOST])
            for step, of_step in rows.items()
            for at in range(0, len(of_step), ROWS_MOST)
        ]
        host.wiring.publish(LIVES, messages, now)

    def _message(self, step: str, rows: list[dict[str, Any]]) -> AmqpMessage:
        # One frame of any size: it is cut to what was agreed with its reader when it leaves.
        frames = content_frames(1, CONTENT, msgspec.json.encode(rows), 0)
        return AmqpMessage(PublishArgs(LIVES, step), CONTENT, frames, self._terms)


def _row(event: Event, number: int, now: float) -> dict[str, Any]:
    message = cast("AmqpMessage", event.message)
    identity, kind = _about(message.content)
    return {
        "number": number,
        "at": now,
        "step": event.step.value,
        "message_id": identity,
        "type": kind,
        "exchange": message.route.exchange,
        "routing_key": message.route.routing_key,
        "queue": event.queue,
        "consumer": event.consumer,
        "attempt": event.attempt,
        "reason": event.reason,
    }


def _about(content: BasicProperties) -> tuple[str | None, str | None]:
    try:
        return content.message_id, content.type
    except Malformed:  # what a client wrote there is its own affair
        return None, None
