"""Instants in metadata and queries: seconds since 1970 here, RFC 3339 outside."""

from __future__ import annotations

from datetime import UTC, datetime

from penstock.errors import UnknownVersion

__all__ = ["read_instant", "written"]


def written(seconds: int) -> str:
    """As RFC 3339, in UTC and whole seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_instant(text: str) -> int:
    """What a query's versionTime means.

    Raises:
        UnknownVersion: it is no instant as RFC 3339 writes it.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError as exc:
        raise UnknownVersion(f"versionTime must be as in 2022-05-10T17:00:00Z, not {text[:50]!r}") from exc
    if found.tzinfo is None:
        raise UnknownVersion(f"versionTime must say its zone, as in 2022-05-10T17:00:00Z, not {text[:50]!r}")
    return int(found.timestamp())
