"""Inspection: whether every large body is there, when a store is opened.

A content file without a row is left over from a crash, and goes. A row whose file is missing or too
short is damage: the message is put into the quarantine folder with all that is known of it, and
reported; nothing else suffers.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import StoreDamaged
from penstock.store.queries import load

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from penstock.store.content_files import ContentFiles

__all__ = ["inspect"]

SQL: Final = load("tidy")
COLUMNS: Final = ("message", "front", "content", "proxy", "destination", "length", "extra", "file", "copies")


def inspect(connection: sqlite3.Connection, contents: ContentFiles, quarantine: Path) -> list[StoreDamaged]:
    """Sweep and check; what was damaged."""
    rows: list[tuple[int, str, int]] = connection.execute(SQL["rows_with_file"]).fetchall()
    sizes = contents.sizes()
    contents.delete(sizes.keys() - {file for _message, file, _length in rows})
    return [
        _put_aside(connection, contents, quarantine, message, _verdict(file, length, sizes.get(file)))
        for message, file, length in rows
        if sizes.get(file, -1) < length
    ]


def _verdict(file: str, length: int, size: int | None) -> str:
    if size is None:
        return f"its content file {file} is missing"
    return f"its content file {file} has {size} of {length} bytes"


def _put_aside(
    connection: sqlite3.Connection, contents: ContentFiles, quarantine: Path, message: int, reason: str
) -> StoreDamaged:
    quarantine.mkdir(mode=0o700, exist_ok=True)
    row = dict(zip(COLUMNS, connection.execute(SQL["message"], (message,)).fetchone(), strict=True))
    places = connection.execute(SQL["references_to"], (message,)).fetchall()
    record = quarantine / f"{message}.json"
    known = {"reason": reason, **row, "references": [place[:3] for place in places]}
    record.write_text(json.dumps(known, indent=1, default=_readable))
    torn = contents.folder / row["file"]
    if torn.exists():
        torn.rename(quarantine / row["file"])
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(SQL["remove_reference"], [place[:3] for place in places])
    connection.execute(SQL["delete_message"], (message,))
    connection.execute("COMMIT")
    queues = sorted({place[0] for place in places})
    return StoreDamaged(
        f"message {message} to {row['destination']!r} in queues {queues} is lost: {reason}; see {record}"
    )


def _readable(value: Any) -> str:
    return b64encode(value).decode()
