from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace as api

from penstock.messaging import Destination, Message
from penstock.messaging.tracing import Trace, beginning, current_trace, marked, within

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

OTHER = Trace("00-11111111111111111111111111111111-2222222222222222-01")


@pytest.mark.usefixtures("absent")
def test_what_begins_is_a_trace_of_its_own_that_others_can_read() -> None:
    seen = set()
    for _ in range(2):
        with within(OTHER), beginning("cron nightly"):
            found = current_trace()
            assert found is not None
            assert Trace.maybe_in(found.headers) == found
            seen.add(found.numbers[0])
    assert len(seen | {OTHER.numbers[0]}) == 3


def test_where_spans_are_made_it_has_one_that_comes_after_none(exported: InMemorySpanExporter) -> None:
    with api.get_tracer("shop").start_as_current_span("start"), within(OTHER), beginning("cron nightly"):
        marked(Message(body=b""), Destination.queue("bills"))
    made, begun, _ = exported.get_finished_spans()
    assert (begun.name, begun.parent) == ("cron nightly", None)
    assert made.parent == begun.get_span_context()
