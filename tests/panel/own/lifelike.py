"""Something that happened to a message, as the broker tells it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from penstock.server.amqp.message import AmqpMessage
from penstock.server.amqp.terms import read_terms
from penstock.wire.amqp import BasicProperties, PublishArgs, content_frames
from penstock.wiring import Event, Step


def happened(message_id: str | None) -> tuple[Any, list[Event], float]:
    content = BasicProperties.of(message_id=message_id)
    frames = content_frames(1, content, b"", 0)
    message = AmqpMessage(PublishArgs("", "q"), content, frames, read_terms(content))
    return cast("Any", SimpleNamespace(name="/")), [Event(Step.PUBLISHED, message)], 1.0
