"""The seam: errors of SQLite and of the file system become ours here, and nowhere else.

Nothing above the store has heard of sqlite3.Error. The text says what failed and what to do.
"""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from penstock.errors import StoreDamaged, StoreError, StoreForeign, StoreFull, StoreLocked, StoreReadOnly

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["translating"]

FULL: Final = "no room is left on the disk of {place}: make some"
READ_ONLY: Final = "{place} cannot be written: let this user write there, or choose another folder"
DAMAGED: Final = "{place} is damaged: restore a copy of the folder, or begin with an empty one"

#: https://www.sqlite.org/rescode.html; an extended code is looked up before its primary one.
BY_RESULT: Final[dict[int, tuple[type[StoreError], str]]] = {
    sqlite3.SQLITE_FULL: (StoreFull, FULL),
    # The index of the write-ahead log is a file too, and grows by ftruncate.
    sqlite3.SQLITE_IOERR_SHMSIZE: (StoreFull, FULL),
    sqlite3.SQLITE_READONLY: (StoreReadOnly, READ_ONLY),
    sqlite3.SQLITE_CANTOPEN: (StoreError, "{place} cannot be opened: look at its permissions"),
    sqlite3.SQLITE_PERM: (StoreReadOnly, READ_ONLY),
    sqlite3.SQLITE_BUSY: (StoreLocked, "another program is writing in {place}: stop it"),
    sqlite3.SQLITE_CORRUPT: (StoreDamaged, DAMAGED),
    sqlite3.SQLITE_NOTADB: (StoreForeign, "{place} is no database, or its beginning is overwritten"),
}
BY_ERRNO: Final[dict[int, tuple[type[StoreError], str]]] = {
    errno.ENOSPC: (StoreFull, FULL),
    errno.EDQUOT: (StoreFull, FULL),
    errno.EFBIG: (StoreFull, FULL),
    errno.EROFS: (StoreReadOnly, READ_ONLY),
    errno.EACCES: (StoreReadOnly, READ_ONLY),
    errno.EPERM: (StoreReadOnly, READ_ONLY),
}
OTHER: Final = (StoreError, "{place} does not work")


@contextmanager
def translating(place: Path) -> Iterator[None]:
    """Whatever goes wrong in here with the database or the files of a place is a StoreError."""
    try:
        yield
    except sqlite3.Error as error:
        raise _from_sqlite(error, place) from error
    except OSError as error:
        kind, text = BY_ERRNO.get(error.errno or 0, OTHER)
        raise kind(f"{text.format(place=place)} ({error.strerror or error})") from error


def _from_sqlite(error: sqlite3.Error, place: Path) -> StoreError:
    # Errors of the module itself, a closed connection say, carry no code.
    code = getattr(error, "sqlite_errorcode", 0)
    kind, text = BY_RESULT.get(code) or BY_RESULT.get(code & 0xFF) or OTHER
    return kind(f"{text.format(place=place)} ({error})")
