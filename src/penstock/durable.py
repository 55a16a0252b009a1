"""Files that a power cut leaves whole, with their names: the old or the new, never a half, and never neither.

    with replacing(folder / "progress") as file:
        file.write(b"...")

A file that was synced may still be gone after a power cut if its name was not: that is the folder's to keep.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["replacing", "sync"]

NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
ANYBODYS: Final = 0o666


@contextmanager
def replacing(file: Path, *, mode: int = ANYBODYS) -> Iterator[IO[bytes]]:
    """What is written in the block takes the file's place when it ends, and is on disk then.

    A block that fails leaves everything as it was. One at a time may write a file.

    Args:
        file: In a folder that is there.
        mode: Who may do what with it, if it is made by this; the process's umask takes from it.

    Raises:
        OSError: it cannot be written.
    """
    beside = file.with_name(f"{file.name}.new")
    try:
        with os.fdopen(os.open(beside, NEW, mode), "wb") as opened:
            yield opened
            opened.flush()
            os.fsync(opened.fileno())
        beside.replace(file)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    sync(file.parent)


def sync(path: Path) -> None:
    """Have a file's contents on disk, or a folder's names.

    Raises:
        OSError: it cannot be done.
    """
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(number)
    finally:
        os.close(number)
