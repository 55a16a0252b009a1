"""Tracing: a message is part of a trace, and so is all that comes of it.

A trace is carried in two headers, `traceparent` and `tracestate` (W3C Trace Context), through publishes, the
outbox, retries, dead letters and handlers, whether or not anybody looks at it. Spans are made where
OpenTelemetry has been set up by the program; where it has not, its packages need not even be there.
Pure: trace. By task: current. On the way out: marking. Around a handler: handling. Where there was none:
beginning. To another process: passing. OpenTelemetry: telemetry, spans; and where these go: exporting.
"""

from penstock.messaging.tracing.beginning import beginning
from penstock.messaging.tracing.current import current_trace, untraced, within
from penstock.messaging.tracing.handling import handling
from penstock.messaging.tracing.marking import marked, maybe_mark
from penstock.messaging.tracing.passing import going_on, maybe_passed
from penstock.messaging.tracing.telemetry import maybe_spans
from penstock.messaging.tracing.trace import TRACEPARENT, TRACESTATE, Trace

__all__ = [
    "TRACEPARENT",
    "TRACESTATE",
    "Trace",
    "beginning",
    "current_trace",
    "going_on",
    "handling",
    "marked",
    "maybe_mark",
    "maybe_passed",
    "maybe_spans",
    "untraced",
    "within",
]
