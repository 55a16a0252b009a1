"""Instants as domains tell them to each other: RFC 3339. Inside they are seconds since the epoch. Pure."""

from __future__ import annotations

from datetime import UTC, datetime

from penstock.sidetree.instants import RFC_3339

__all__ = ["from_rfc_3339", "rfc_3339"]


def rfc_3339(at: float) -> str:
    """The instant as text, to the microsecond."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def from_rfc_3339(text: object) -> float:
    """Seconds since the epoch.

    Raises:
        ValueError: it is no such text.
    """
    if not isinstance(text, str) or not RFC_3339.fullmatch(text):
        raise ValueError(f"no instant as RFC 3339 has them: {str(text)[:60]!r}")
    at = datetime.fromisoformat(text.upper()).timestamp()
    # It is told on in UTC, where the first day of all in the east, and the last in the west, are of no year.
    rfc_3339(at)
    return at
