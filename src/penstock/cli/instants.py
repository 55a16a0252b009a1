"""Instants as people write them on a command line."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from penstock.errors import BadSetting

__all__ = ["INSTANT", "maybe_instant"]

#: What an option's help says of them.
INSTANT: Final = "An instant like 2026-01-31T12:00 (UTC, unless it says otherwise)."


def maybe_instant(text: str | None, name: str) -> float | None:
    """An instant in seconds since the epoch; None if none is given.

    Raises:
        BadSetting: it is none.
    """
    if text is None:
        return None
    try:
        read = datetime.fromisoformat(text)
    except ValueError as exc:
        raise BadSetting(f"{name}: {text!r} is no instant like 2026-01-31T12:00", setting=name) from exc
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()
