from __future__ import annotations

import pytest

from penstock.messaging.tracing import Trace

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
PARENT = f"00-{TRACE}-{SPAN}-01"


def test_a_trace_is_what_two_headers_say() -> None:
    headers = {"traceparent": PARENT, "tracestate": "congo=t61rcWkgMzE", "other": 1}
    trace = Trace.maybe_in(headers)
    assert trace == (PARENT, "congo=t61rcWkgMzE")
    assert trace.headers == {"traceparent": PARENT, "tracestate": "congo=t61rcWkgMzE"}
    assert Trace.maybe_in({"traceparent": PARENT, "tracestate": 7}) == Trace(PARENT)
    assert Trace(PARENT).headers == {"traceparent": PARENT}


def test_its_numbers_make_the_same_again() -> None:
    numbers = Trace(PARENT).numbers
    assert numbers == (int(TRACE, 16), int(SPAN, 16), 1)
    assert Trace.of(*numbers) == Trace(PARENT)


@pytest.mark.parametrize(
    "parent",
    [
        None,
        7,
        b"bytes",
        "",
        PARENT[:-1],
        PARENT + "-more",  # of version 00, nothing is
        f"ff-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE.upper()}-{SPAN}-01",
        PARENT + "\n",
    ],
)
def test_what_nobody_can_read_is_no_trace(parent: object) -> None:
    assert Trace.maybe_in({"traceparent": parent}) is None


def test_a_later_version_may_say_more() -> None:
    later = f"01-{TRACE}-{SPAN}-01-and-more"
    trace = Trace.maybe_in({"traceparent": later})
    assert trace == Trace(later)
    assert trace.numbers == Trace(PARENT).numbers
