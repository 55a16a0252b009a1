"""Lives: what happened to the last messages, step by step, in a broker that watches (see message_lives).

The broker tells all steps of a turn at once. They are kept in memory, by the message's id, for as many
messages as fit; the event log in a table (docs/howto/event-log.md) keeps them for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import msgspec

from penstock.panel.replies import ApiFault, json_reply
from penstock.wire.amqp.errors import Malformed

if TYPE_CHECKING:
    from penstock.broker import VirtualHost
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit
    from penstock.server.amqp.message import AmqpMessage
    from penstock.wiring import Event

__all__ = ["Life", "LifeStep", "Lives", "life"]

#: Messages whose lives are kept, and steps of each: one that goes round in a circle has no end of them.
MOST: Final = 10_000
STEPS: Final = 200


class LifeStep(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to a message; see penstock.wiring.life."""

    at: float
    step: str
    exchange: str
    routing_key: str
    queue: str
    consumer: str
    attempt: int
    reason: str


class Life(msgspec.Struct, frozen=True, kw_only=True):
    """One message, from publish to ack, its copies included."""

    id: str
    steps: list[LifeStep]


class Lives:
    """The lives of the last messages."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        #: Virtual host and message id → its steps; those that something happened to last stand last.
        self._steps: dict[tuple[str, str], list[LifeStep]] = {}

    def __repr__(self) -> str:
        return f"<Lives of {len(self._steps)} messages>"

    def note(self, host: VirtualHost, events: list[Event], now: float) -> None:
        """What happened in a virtual host in one turn."""
        for event in events:
            message = cast("AmqpMessage", event.message)
            identity = _identity(message)
            if not identity:
                continue
            steps = self._steps.pop((host.name, identity), [])
            self._steps[host.name, identity] = steps
            if len(steps) < STEPS:
                steps.append(_step(event, message, now))
        while len(self._steps) > self._most:
            del self._steps[next(iter(self._steps))]

    def find(self, vhost: str, identity: str) -> Life | None:
        """One message's life; None if nothing is known of it, or not any more."""
        steps = self._steps.get((vhost, identity))
        return None if steps is None else Life(id=identity, steps=steps)


async def life(visit: Visit, vhost: str, message_id: str) -> Reply:
    """What happened to one message."""
    visit.host(vhost)
    lives: Lives = visit.panel.resources.demand("lives")
    found = lives.find(vhost, message_id)
    if found is None:
        raise ApiFault(404, f"nothing is known of a message {message_id!r}: it is long gone, or never came")
    return json_reply(found)


def _identity(message: AmqpMessage) -> str | None:
    try:
        return message.content.message_id
    except Malformed:  # what a client wrote there is its own affair
        return None


def _step(event: Event, message: AmqpMessage, now: float) -> LifeStep:
    return LifeStep(
        at=now,
        step=event.step.value,
        exchange=message.route.exchange,
        routing_key=message.route.routing_key,
        queue=event.queue,
        consumer=event.consumer,
        attempt=event.attempt,
        reason=event.reason,
    )
