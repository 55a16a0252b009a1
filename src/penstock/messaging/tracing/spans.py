"""Spans, where OpenTelemetry has been set up. With exporting.py the only place that imports it.

A message has a span where it is made, which is what it carries, and one around each handler that gets it:
the conventions for messaging call them "create" and "process". A handler of many messages is linked to all of
them, since it has one span and they may have many traces.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from opentelemetry import trace as api
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    ProxyTracerProvider,
    SpanContext,
    SpanKind,
    Status,
    StatusCode,
    TraceFlags,
    TraceState,
)

from penstock.messaging.tracing.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from opentelemetry.context import Context
    from opentelemetry.trace import TracerProvider

__all__ = ["Spans", "current_spans"]

#: Names of OpenTelemetry's semantic conventions for messaging.
SYSTEM: Final = "messaging.system"
OPERATION: Final = "messaging.operation.type"
DESTINATION: Final = "messaging.destination.name"
MESSAGE: Final = "messaging.message.id"
BATCH: Final = "messaging.batch.message_count"
CONSUMER: Final = "messaging.consumer.group.name"


class Spans:
    """Makes spans with one provider."""

    def __init__(self, provider: TracerProvider) -> None:
        self.provider = provider
        self._tracer = provider.get_tracer("penstock")

    def created(self, destination: str, message_id: str, parent: Trace | None) -> Trace:
        """A message is made, in what is being done or after the given; the trace that it is to carry."""
        span = self._tracer.start_span(
            f"create {destination}",
            _context(parent) if parent is not None and not _is_within_span() else None,
            kind=SpanKind.PRODUCER,
            attributes={
                SYSTEM: "penstock",
                OPERATION: "create",
                DESTINATION: destination,
                MESSAGE: message_id,
            },
        )
        span.end()
        return _trace(span.get_span_context())

    def maybe_current(self) -> Trace | None:
        """The span that is being worked in, as a trace to go on with; None outside of every one."""
        found = api.get_current_span().get_span_context()
        return _trace(found) if found.is_valid else None

    def after(self, trace: Trace) -> AbstractContextManager[object]:
        """Spans that are made in here come after what another process has told of."""
        # That it failed is told by the other one, whose span it is.
        return api.use_span(
            NonRecordingSpan(_span_context(trace)), record_exception=False, set_status_on_exception=False
        )

    @contextmanager
    def beginning(self, name: str) -> Iterator[None]:
        """Something begins by itself: a span that comes after none, whatever is being worked on."""
        with self._tracer.start_as_current_span(name, _nothing()):
            yield

    @contextmanager
    def processing(self, queue: str, consumer: str, traces: Sequence[Trace | None]) -> Iterator[None]:
        """A handler has so many messages of a queue in hand: a span while it does."""
        known = [trace for trace in traces if trace is not None]
        is_batch = len(traces) > 1
        with self._tracer.start_as_current_span(
            f"process {queue}",
            # Not within what happened to run when the worker was started.
            _nothing() if is_batch or not known else _context(known[0]),
            kind=SpanKind.CONSUMER,
            attributes={
                SYSTEM: "penstock",
                OPERATION: "process",
                DESTINATION: queue,
                CONSUMER: consumer,
                **({BATCH: len(traces)} if is_batch else {}),
            },
            links=[Link(_span_context(trace)) for trace in known] if is_batch else None,
        ) as span:
            try:
                yield
            except Exception:
                raise  # which is noted where the span ends
            except BaseException as exc:
                span.set_status(Status(StatusCode.ERROR, type(exc).__name__))
                raise


#: What there is before a program says where spans go, or when it says nowhere.
_NOWHERE: Final = (ProxyTracerProvider, api.NoOpTracerProvider)
_made: Spans | None = None


def current_spans() -> Spans | None:
    """What makes spans now; None while the program has not said where they go."""
    global _made  # noqa: PLW0603  one for each provider, of which a process has one
    provider = api.get_tracer_provider()
    if isinstance(provider, _NOWHERE):
        return None
    if _made is None or _made.provider is not provider:
        _made = Spans(provider)
    return _made


def _is_within_span() -> bool:
    return api.get_current_span().get_span_context().is_valid


def _nothing() -> Context:
    return api.set_span_in_context(api.INVALID_SPAN)


def _context(trace: Trace) -> Context:
    return api.set_span_in_context(NonRecordingSpan(_span_context(trace)))


def _trace(found: SpanContext) -> Trace:
    return Trace.of(found.trace_id, found.span_id, found.trace_flags, found.trace_state.to_header())


def _span_context(trace: Trace) -> SpanContext:
    trace_id, span_id, flags = trace.numbers
    state = TraceState.from_header([trace.state]) if trace.state else None
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags), trace_state=state)
