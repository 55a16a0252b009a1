from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.messaging import Destination, Message
from penstock.messaging.tracing import Trace, marked, untraced, within

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")
OTHER = Trace("00-11111111111111111111111111111111-2222222222222222-01")
BILLS = Destination.queue("bills")


@pytest.mark.usefixtures("absent")
def test_outside_of_every_trace_a_message_is_as_it_was() -> None:
    message = Message(body=b"")
    assert marked(message, BILLS) is message


@pytest.mark.usefixtures("absent")
def test_within_a_trace_a_message_carries_it_beside_its_own_headers() -> None:
    message = Message(body=b"", headers={"a": 1})
    with within(TRACE):
        assert marked(message, BILLS).headers == {"a": 1, **TRACE.headers}
    assert message.headers == {"a": 1}


def test_a_copy_keeps_the_trace_that_it_has(exported: InMemorySpanExporter) -> None:
    message = Message(body=b"", headers=OTHER.headers)
    with within(TRACE):
        assert marked(message, BILLS) is message
    assert not exported.get_finished_spans()


def test_what_the_house_says_for_itself_is_of_no_trace(exported: InMemorySpanExporter) -> None:
    message = Message(body=b"")
    with within(TRACE), untraced():
        assert marked(message, BILLS) is message
    assert not exported.get_finished_spans()


def test_with_spans_a_message_carries_that_of_its_making(exported: InMemorySpanExporter) -> None:
    with within(TRACE):
        carried = Trace.maybe_in(marked(Message(body=b"", id="m1"), BILLS).headers)
    (span,) = exported.get_finished_spans()
    assert span.name == "create bills"
    assert span.parent is not None
    assert carried is not None
    assert carried.numbers[:2] == (TRACE.numbers[0], span.context.span_id)
    assert (span.parent.span_id, carried.state) == (TRACE.numbers[1], "a=1")
