"""A data folder that one process works in, and files in it that are their owner's alone.

    with held(folder, busy=lambda: f"{folder} is in use: stop whoever uses it"):
        password = secret(folder / "broker.secret")

The system lets go of the folder when its process ends, however it ends.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Final

from penstock.durable import replacing
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["held", "secret", "write_private"]

OWN: Final = 0o700
PRIVATE: Final = 0o600
#: As many as nobody guesses.
SECRET_BYTES: Final = 32


@contextmanager
def held(folder: Path, busy: Callable[[], str]) -> Iterator[None]:
    """Nobody else holds the folder meanwhile; it is made if it is not there.

    Args:
        folder: Which one.
        busy: What somebody is told who comes second.

    Raises:
        BadSetting: somebody else holds it, or it cannot be used.
    """
    try:
        folder.mkdir(mode=OWN, parents=True, exist_ok=True)
        lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, PRIVATE)
    except OSError as exc:
        raise _unusable(folder, exc) from exc
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            raise BadSetting(busy(), setting="data") from exc
        yield
    finally:
        os.close(lock)


def secret(file: Path) -> str:
    """What the file holds: a secret, made at the first use, whole or not at all.

    Raises:
        BadSetting: it can be neither read nor made.
    """
    try:
        if not file.exists():
            file.parent.mkdir(mode=OWN, parents=True, exist_ok=True)
            write_private(file, token_urlsafe(SECRET_BYTES))
        return file.read_text()
    except OSError as exc:
        raise _unusable(file, exc) from exc


def write_private(file: Path, text: str) -> None:
    """Write a file that nobody else may read: whoever reads it finds the old or the new, never a half."""
    with replacing(file, mode=PRIVATE) as opened:
        opened.write(text.encode())


def _unusable(path: Path, error: OSError) -> BadSetting:
    return BadSetting(f"{path} cannot be used: {error.strerror}", setting="data")
