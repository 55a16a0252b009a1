"""Migrations: a store of an older version becomes one of this version, in one transaction.

The layout is the sum of sql/migrations/*.sql, applied in order of their numbers; the file's number
is the version it leads to. A store that is newer, or not ours, is refused and left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.errors import StoreForeign, StoreTooNew
from penstock.store.queries import SQL_FOLDER

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["APPLICATION_ID", "check", "migrations", "upgrade", "version_of"]

#: "Pens" in ASCII; `file` shows it.
APPLICATION_ID: Final = 0x50656E73


def migrations() -> list[str]:
    """All there are; the first leads to version 1."""
    return [file.read_text() for file in sorted((SQL_FOLDER / "migrations").glob("*.sql"))]


def version_of(connection: sqlite3.Connection) -> int:
    """The version of a store; 0 before its first migration."""
    return _pragma(connection, "user_version")


def check(connection: sqlite3.Connection, place: Path, *, newest: int) -> None:
    """Look before anything is written.

    Raises:
        StoreForeign: it is a database, but not one of Penstock.
        StoreTooNew: a newer Penstock wrote it.
    """
    tables: int = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if _pragma(connection, "application_id") != (APPLICATION_ID if tables else 0):
        raise StoreForeign(f"{place} is a database of another program: choose another folder")
    version = version_of(connection)
    if version > newest:
        raise StoreTooNew(
            f"{place} has layout {version}, and this Penstock knows up to {newest}: start the newer one again"
        )


def upgrade(connection: sqlite3.Connection, steps: Sequence[str]) -> None:
    """Apply the steps a store has not seen yet, all or none."""
    missing = steps[version_of(connection) :]
    if not missing:
        return
    marks = f"PRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {len(steps)};"
    try:
        connection.executescript("\n".join(["BEGIN IMMEDIATE;", *missing, marks, "COMMIT;"]))
    finally:
        if connection.in_transaction:
            connection.rollback()


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value
