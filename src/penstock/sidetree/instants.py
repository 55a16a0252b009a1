"""Instants in metadata and queries: seconds since 1970 here, RFC 3339 outside."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from penstock.errors import UnknownVersion

__all__ = ["RFC_3339", "read_instant", "written"]

#: Python reads all of ISO 8601, weeks included; RFC 3339 §5.6 has this.
RFC_3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,18})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def written(seconds: int) -> str:
    """As RFC 3339, in UTC and whole seconds."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def read_instant(text: str) -> int:
    """What a query's versionTime means.

    Raises:
        UnknownVersion: it is no instant as RFC 3339 writes it.
    """
    try:
        return int(datetime.fromisoformat(text.upper() if RFC_3339.fullmatch(text) else "").timestamp())
    except ValueError as exc:
        raise UnknownVersion(f"versionTime must be as in 2022-05-10T17:00:00Z, not {text[:50]!r}") from exc
