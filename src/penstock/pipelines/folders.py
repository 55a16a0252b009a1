"""Where Spark keeps what it needs only while it runs, and what it may find again: a workspace, and a cache.

Spark leaves gigabytes in the temporary folder when it is killed. So each session has one folder for it all,
and a lock in it that ends with the process, however that ends; whoever opens a session removes what the dead
have left. A lock, and not a process id: ids are used again, and mean something else in another container.
Knows nothing of pyspark.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from penstock.errors import SparkUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

__all__ = ["Workspace", "cache_folder", "sweep"]

#: How the folders of sessions are called; the rest of the name is chance.
PREFIX: Final = "penstock-spark-"

#: The file in a workspace that its process has locked.
LOCK: Final = "lock"


def cache_folder(environment: Mapping[str, str]) -> Path:
    """The user's folder for what can be made again; it is there.

    Raises:
        SparkUnavailable: it cannot be made or written.
    """
    named = environment.get("PENSTOCK_CACHE")
    above = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or Path.home(), ".cache")
    folder = Path(named) if named else Path(above, "penstock")
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as exc:
        hint = "PENSTOCK_CACHE may name another folder"
        raise SparkUnavailable(f"the folder {folder} cannot be made: {exc.strerror}; {hint}") from exc
    return folder


class Workspace:
    """A folder for one session, gone with it. Close it, or use it as a context."""

    __slots__ = ("_lock", "path")

    def __init__(self, above: Path) -> None:
        """Make the folder in `above`."""
        # Nobody may take it for a dead one before it is locked: it gets its name afterwards.
        nameless = Path(tempfile.mkdtemp(prefix=f".{PREFIX}", dir=above))
        self._lock = os.open(nameless / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.path: Final = nameless.rename(above / nameless.name.removeprefix("."))

    def folder(self, name: str) -> Path:
        """A folder in it, made if it is not there."""
        folder = self.path / name
        folder.mkdir(exist_ok=True)
        return folder

    def close(self) -> None:
        """Remove it and everything in it; once it is gone, nothing happens."""
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Workspace {self.path}{' closed' if self._lock < 0 else ''}>"


def sweep(above: Path) -> list[Path]:
    """Remove the workspaces of this user's sessions that died; returns which."""
    gone = []
    for folder in above.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid == os.getuid() and _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)
                gone.append(folder)
    return gone


def _is_abandoned(folder: Path) -> bool:
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(lock)
