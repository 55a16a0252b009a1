from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace as api

from penstock.messaging.tracing import Trace, current_trace, going_on, maybe_passed, untraced, within

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")


@pytest.mark.usefixtures("absent")
def test_what_is_being_worked_on_is_passed_and_gone_on_with() -> None:
    with within(TRACE):
        passed = maybe_passed()
    with going_on(passed):
        assert current_trace() == TRACE
    with untraced():
        assert maybe_passed() is None
    with within(TRACE), going_on(None):
        assert current_trace() is None


def test_spans_of_the_other_process_come_after_that_of_the_first(exported: InMemorySpanExporter) -> None:
    tracer = api.get_tracer("shop")
    assert maybe_passed() is None
    with within(TRACE):
        assert maybe_passed() == TRACE
    with tracer.start_as_current_span("process") as outer:
        passed = maybe_passed()
    with pytest.raises(ValueError, match="no"), going_on(passed), tracer.start_as_current_span("query"):
        raise ValueError("no")
    span = exported.get_finished_spans()[-1]
    assert span.parent is not None
    assert span.parent.span_id == outer.get_span_context().span_id
    assert span.context.trace_id == outer.get_span_context().trace_id
