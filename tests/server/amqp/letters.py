"""Messages as the AMQP server has them, small and large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.server.amqp.message import AmqpMessage, LargeMessage
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames
from penstock.wire.amqp.content import header_frame
from penstock.wiring import Death, Terms
from penstock.wiring.death import Reason

if TYPE_CHECKING:
    from penstock.server.amqp.bodies import LargeBodies

ROUTE = PublishArgs("exchange", "key")
TERMS = Terms(persistent=True, expires_in=5.0)
DEATHS = (
    Death(
        queue="queue",
        reason=Reason.REJECTED,
        proxy="exchange",
        destinations=("key",),
        first_at=1.0,
        last_at=1.0,
    ),
)


def small(body: bytes = b"hello", **properties: object) -> AmqpMessage:
    content = BasicProperties.of(**properties)  # type: ignore[arg-type]
    return AmqpMessage(ROUTE, content, content_frames(1, content, body, 4096), TERMS)


def large(bodies: LargeBodies, body: bytes = b"hello") -> LargeMessage:
    file = bodies.create()
    file.append(body)
    content = BasicProperties.of(headers={"a": 1})
    frames = header_frame(1, content, len(body))
    return LargeMessage(ROUTE, content, frames, TERMS, bodies.made(file.finish(), len(body)))
