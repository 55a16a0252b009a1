"""The trace that is being worked on, by task: what a handler publishes is part of its message's."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

from penstock.messaging.tracing.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["UNTRACED", "current", "current_trace", "untraced", "within"]


#: Stands for what is nobody's work, but the house's own.
UNTRACED: Final = Trace("")

#: None is outside of every trace.
current: ContextVar[Trace | None] = ContextVar("penstock_trace", default=None)


def current_trace() -> Trace | None:
    """The trace that is being worked on, as far as messages brought it. OpenTelemetry may know of another."""
    found = current.get()
    return None if found is UNTRACED else found


@contextmanager
def within(trace: Trace | None) -> Iterator[None]:
    """What is published in here is part of that trace, and in tasks that begin here; None is of none."""
    token = current.set(trace)
    try:
        yield
    finally:
        current.reset(token)


@contextmanager
def untraced() -> Iterator[None]:
    """Nothing that is published in here, or in tasks that begin here, is part of a trace, nor begins one."""
    token = current.set(UNTRACED)
    try:
        yield
    finally:
        current.reset(token)
