"""What a status of HTTP says about asking again. Pure."""

from __future__ import annotations

from typing import Final

__all__ = ["OK", "is_passing"]

OK: Final = 200
SERVERS_FAULT: Final = 500
#: Statuses below that: too slow, too early, too many.
PASSING: Final = frozenset({408, 425, 429})


def is_passing(status: int) -> bool:
    """Whether the same question may well be answered later."""
    return status >= SERVERS_FAULT or status in PASSING
