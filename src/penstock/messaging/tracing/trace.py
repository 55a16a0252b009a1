"""A trace, as a message carries it: the two headers of W3C Trace Context. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TRACEPARENT", "TRACESTATE", "Trace"]

#: W3C Trace Context §3.2 and §3.3; the same names in AMQP, as its draft for AMQP has them.
TRACEPARENT: Final = "traceparent"
TRACESTATE: Final = "tracestate"

#: Version, trace, parent and flags. A later version may say more after them (§4.3); ff is none (§3.2.2.1),
#: and nothing but zeros names neither a trace nor a span (§3.2.2.3).
_PARENT: Final = re.compile(
    r"(?!ff)(?P<version>[0-9a-f]{2})-(?!0{32})(?P<trace>[0-9a-f]{32})"
    r"-(?!0{16})(?P<span>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})(?P<more>-.*)?"
)
_FIRST_VERSION: Final = "00"


class Trace(NamedTuple):
    """Which trace, and after what in it."""

    parent: str
    #: What tracing systems have to say to each other; empty if they do not.
    state: str = ""

    @classmethod
    def of(cls, trace_id: int, span_id: int, flags: int, state: str = "") -> Trace:
        """A trace by its numbers."""
        return cls(f"00-{trace_id:032x}-{span_id:016x}-{flags:02x}", state)

    @classmethod
    def maybe_in(cls, headers: Mapping[str, Any]) -> Trace | None:
        """The trace that headers tell of; None if they do not, or nobody can read it."""
        parent, state = headers.get(TRACEPARENT), headers.get(TRACESTATE)
        found = isinstance(parent, str) and _PARENT.fullmatch(parent)
        if not found or (found["more"] and found["version"] == _FIRST_VERSION):
            return None
        return cls(found.string, state if isinstance(state, str) else "")

    @property
    def headers(self) -> dict[str, str]:
        """What a message carries of it."""
        return {TRACEPARENT: self.parent, **({TRACESTATE: self.state} if self.state else {})}

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The trace's id, the span's, and the flags."""
        _, trace, span, flags, *_ = self.parent.split("-")
        return int(trace, 16), int(span, 16), int(flags, 16)
