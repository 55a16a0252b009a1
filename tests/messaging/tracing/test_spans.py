from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace as api
from opentelemetry.trace import SpanKind, StatusCode

from penstock.messaging.tracing import Trace
from penstock.messaging.tracing.spans import Spans, current_spans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")
OTHER = Trace("00-11111111111111111111111111111111-2222222222222222-00")


def spans() -> Spans:
    found = current_spans()
    assert found is not None
    return found


def test_a_message_that_is_made_outside_begins_a_trace(exported: InMemorySpanExporter) -> None:
    made = spans().created("shop/Bill", "m1", None)
    (span,) = exported.get_finished_spans()
    assert (span.name, span.kind, span.parent) == ("create shop/Bill", SpanKind.PRODUCER, None)
    assert made.numbers[0] == span.context.trace_id
    assert span.attributes is not None
    assert dict(span.attributes) == {
        "messaging.system": "penstock",
        "messaging.operation.type": "create",
        "messaging.destination.name": "shop/Bill",
        "messaging.message.id": "m1",
    }


def test_the_programs_own_span_goes_before_what_messages_brought(exported: InMemorySpanExporter) -> None:
    tracer = api.get_tracer("shop")
    with tracer.start_as_current_span("order") as order:
        made = spans().created("bills", "m1", OTHER)
    assert made.numbers[0] == order.get_span_context().trace_id
    assert spans().created("bills", "m2", OTHER).numbers[0] == OTHER.numbers[0]


def test_a_handlers_span_follows_its_message_and_not_whoever_started_the_worker(
    exported: InMemorySpanExporter,
) -> None:
    with api.get_tracer("shop").start_as_current_span("start"):
        for traces in ([TRACE], [None]):
            with spans().processing("bills", "paying", traces):
                made = spans().created("receipts", "m2", None)
                span = api.get_current_span().get_span_context()
                assert made.numbers[0] == span.trace_id
    receipt, first, _, second, _ = exported.get_finished_spans()
    assert receipt.parent == first.get_span_context()
    assert (first.parent and first.parent.span_id, first.kind) == (TRACE.numbers[1], SpanKind.CONSUMER)
    assert second.parent is None


def test_a_handler_of_many_is_linked_to_all_of_them(exported: InMemorySpanExporter) -> None:
    with spans().processing("bills", "paying", [TRACE, None, OTHER]):
        pass
    (span,) = exported.get_finished_spans()
    assert [link.context.span_id for link in span.links] == [TRACE.numbers[1], OTHER.numbers[1]]
    assert span.parent is None
    assert span.attributes is not None
    assert span.attributes["messaging.batch.message_count"] == 3


@pytest.mark.parametrize("error", [ValueError("no"), asyncio.CancelledError()], ids=["raised", "interrupted"])
def test_a_handler_that_fails_has_a_span_that_says_so(
    exported: InMemorySpanExporter, error: BaseException
) -> None:
    with pytest.raises(type(error)), spans().processing("bills", "paying", [TRACE]):
        raise error
    (span,) = exported.get_finished_spans()
    assert span.status.status_code is StatusCode.ERROR
    assert type(error).__name__ in (span.status.description or "")
