from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.messaging.tracing import Trace, current_trace, handling

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
OTHER = Trace("00-11111111111111111111111111111111-2222222222222222-01")


@pytest.mark.usefixtures("absent")
@pytest.mark.parametrize(
    ("traces", "expected"),
    [
        ([TRACE], TRACE),
        ([None], None),
        ([TRACE, TRACE], TRACE),
        ([TRACE, OTHER], None),
        ([TRACE, None], None),
    ],
)
def test_a_handler_is_within_the_trace_of_all_its_messages_or_of_none(
    traces: list[Trace | None], expected: Trace | None
) -> None:
    with handling("bills", "paying", traces):
        assert current_trace() == expected


def test_where_spans_are_made_it_has_one(exported: InMemorySpanExporter) -> None:
    with handling("bills", "paying", [TRACE]):
        pass
    (span,) = exported.get_finished_spans()
    assert span.name == "process bills"
