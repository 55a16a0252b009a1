from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from penstock.errors import (
    StoreDamaged,
    StoreError,
    StoreForeign,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
)
from penstock.store.seam import translating

PLACE = Path("/data")


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("what SQLite says")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (sqlite_error(sqlite3.SQLITE_FULL), StoreFull),
        (sqlite_error(sqlite3.SQLITE_IOERR_SHMSIZE), StoreFull),
        (sqlite_error(sqlite3.SQLITE_IOERR_WRITE), StoreError),
        (sqlite_error(sqlite3.SQLITE_READONLY), StoreReadOnly),
        (sqlite_error(sqlite3.SQLITE_READONLY_DBMOVED), StoreReadOnly),  # an extended code
        (sqlite_error(sqlite3.SQLITE_CANTOPEN), StoreError),
        (sqlite_error(sqlite3.SQLITE_BUSY), StoreLocked),
        (sqlite_error(sqlite3.SQLITE_CORRUPT), StoreDamaged),
        (sqlite_error(sqlite3.SQLITE_NOTADB), StoreForeign),
        (sqlite3.ProgrammingError("closed"), StoreError),  # without a code
        (OSError(errno.ENOSPC, "No space"), StoreFull),
        (OSError(errno.EDQUOT, "Quota"), StoreFull),
        (OSError(errno.EROFS, "Read-only"), StoreReadOnly),
        (PermissionError(errno.EACCES, "Denied"), StoreReadOnly),
        (OSError(errno.EIO, os.strerror(errno.EIO)), StoreError),
        (OSError("nothing known"), StoreError),
    ],
)
def test_an_error_of_the_disk_becomes_ours(error: Exception, kind: type[StoreError]) -> None:
    with pytest.raises(StoreError, match=r"^[^{}]*/data") as caught, translating(PLACE):
        raise error
    assert (type(caught.value), caught.value.__cause__) == (kind, error)


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), translating(PLACE):
        raise ZeroDivisionError
