"""The last words of a program, in its log: why it ended, or what it waits for.

A log has a JSON object a line, and whoever cannot go on says why in a line of its own behind them. Of what is
neither, as Java's lines are, nobody is told anything.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.server.logs import redacted

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["last_line", "last_warning", "size_of"]

#: Bytes at the end of a log that are looked at: more than a line has.
TAIL: Final = 64 * 1024
#: The levels of what somebody should know.
WARNINGS: Final = frozenset({"warning", "error", "critical"})


def size_of(log: Path | None) -> int:
    """How long a log is: what is said from now on begins there."""
    return log.stat().st_size if log is not None and log.exists() else 0


def last_line(log: Path | None, since: int = 0) -> str:
    """Its last line from there on, unless it is an ordinary one; empty if there is none."""
    line = _last(log, since)
    return "" if _entry(line) else redacted(line.removeprefix("penstock: "))


def last_warning(log: Path | None, since: int = 0) -> str:
    """Its last line from there on, if it is a warning, or worse; else empty."""
    entry = _entry(_last(log, since))
    return str(entry.get("message", "")) if entry.get("level") in WARNINGS else ""


def _last(log: Path | None, since: int) -> str:
    if log is None or not log.exists():
        return ""
    with log.open("rb") as file:
        file.seek(max(since, file.seek(0, os.SEEK_END) - TAIL))
        lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


def _entry(line: str) -> dict[str, Any]:
    try:
        found = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}
