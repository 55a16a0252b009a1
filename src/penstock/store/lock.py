"""The lock of a store's folder: two brokers never open the same one.

The system takes the lock away when its process ends, however it ends; the file stays and means
nothing. It names the process that has it, for whoever is refused.
"""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

from penstock.errors import StoreLocked

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Lock"]


class Lock:
    """Taken when made, until `release`."""

    __slots__ = ("_file", "_path")

    def __init__(self, path: Path) -> None:
        """Take it.

        Raises:
            StoreLocked: another process, or another store in this one, has it.
            OSError: the file cannot be made.
        """
        self._path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, b"%d\n" % os.getpid(), 0)
        except BlockingIOError as error:
            owner = os.pread(self._file, 32, 0).decode(errors="replace").strip() or "unknown"
            os.close(self._file)
            raise StoreLocked(
                f"{path.parent} is in use by process {owner}: stop that one, or choose another folder"
            ) from error
        except OSError:
            os.close(self._file)
            raise

    def __repr__(self) -> str:
        return f"<Lock {self._path}>"

    def release(self) -> None:
        """Let others have it."""
        os.close(self._file)
