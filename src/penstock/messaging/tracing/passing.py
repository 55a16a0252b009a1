"""A trace is passed on to another process, which goes on with it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.messaging.tracing.current import current_trace, within
from penstock.messaging.tracing.telemetry import maybe_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.messaging.tracing.trace import Trace

__all__ = ["going_on", "maybe_passed"]


def maybe_passed() -> Trace | None:
    """What another process is to know of what is being worked on here; None outside of every trace."""
    spans = maybe_spans()
    return current_trace() if spans is None else spans.maybe_current() or current_trace()


@contextmanager
def going_on(trace: Trace | None) -> Iterator[None]:
    """What is done in here goes on with a trace of another process, and spans come after those made there."""
    spans = maybe_spans()
    with within(trace):
        if trace is None or spans is None:
            yield
            return
        with spans.after(trace):
            yield
