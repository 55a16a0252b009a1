"""A handler runs within the trace of its message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.messaging.tracing.current import within
from penstock.messaging.tracing.telemetry import maybe_spans

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from penstock.messaging.tracing.trace import Trace

__all__ = ["handling"]


def handling(queue: str, consumer: str, traces: Sequence[Trace | None]) -> AbstractContextManager[None]:
    """What a handler does in here is part of its message's trace; of many, if they have the same one."""
    spans = maybe_spans()
    if spans is not None:
        return spans.processing(queue, consumer, traces)
    return within(traces[0] if len(set(traces)) == 1 else None)
