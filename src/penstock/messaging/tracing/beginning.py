"""What comes of nothing else, such as the time of a cron, begins a trace."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from penstock.messaging.tracing.current import within
from penstock.messaging.tracing.telemetry import maybe_spans
from penstock.messaging.tracing.trace import Trace

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["beginning"]

#: W3C Trace Context §3.2.2.5. Without it, a program further on that makes spans would by custom make none of
#: this trace, and nobody else does: what begins here is rare enough to be kept whole.
SAMPLED: Final = 1


def beginning(name: str) -> AbstractContextManager[None]:
    """What is done in here is a trace of its own, whatever was worked on before."""
    spans = maybe_spans()
    if spans is not None:
        return spans.beginning(name)
    # Nothing but zeros would name nothing (§3.2.2.3).
    return within(Trace.of(secrets.randbits(128) | 1, secrets.randbits(64) | 1, SAMPLED))
