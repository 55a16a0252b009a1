"""Messages on their way out are marked with the trace that they are part of. On the path of every publish."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.messaging.tracing.current import UNTRACED, current
from penstock.messaging.tracing.telemetry import maybe_spans
from penstock.messaging.tracing.trace import TRACEPARENT

if TYPE_CHECKING:
    from penstock.messaging.message import Destination, Message
    from penstock.messaging.tracing.trace import Trace

__all__ = ["marked", "maybe_mark"]


def marked(message: Message, to: Destination) -> Message:
    """The message with the trace that is being worked on; as it is if there is none, or it has one.

    What is sent once more, a copy or what waited in an outbox, keeps its own.
    """
    if (current.get() is None and maybe_spans() is None) or TRACEPARENT in message.headers:
        return message
    trace = maybe_mark(message.id, to)
    return message if trace is None else replace(message, headers={**message.headers, **trace.headers})


def maybe_mark(message_id: str, to: Destination) -> Trace | None:
    """The trace that a message which is made now is to carry, whenever it leaves; None if it has none.

    Where spans are made, its making has one.
    """
    trace, spans = current.get(), maybe_spans()
    if trace is UNTRACED:
        return None
    return trace if spans is None else spans.created(str(to), message_id, trace)
