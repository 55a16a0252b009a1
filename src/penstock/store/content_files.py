"""Contents as files, one each, flat in a folder.

A file without a row is swept away at the next start, so a file is deleted only after the commit that
took its row away, and synced before the commit that brings it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from penstock.durable import sync
from penstock.errors import StoreDamaged
from penstock.store.seam import translating

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from penstock.store.contents import Growing, Readable

__all__ = ["ContentFiles"]

NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
MORE: Final = os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC


class ContentFiles:
    """A folder of contents."""

    __slots__ = ("folder",)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, exist_ok=True)

    def __repr__(self) -> str:
        return f"<ContentFiles {self.folder}>"

    def create(self) -> Growing:
        path = self.folder / uuid4().hex
        with translating(self.folder):
            os.close(os.open(path, NEW, 0o600))
        return _GrowingFile(path)

    def open(self, name: str) -> Readable:
        with translating(self.folder):
            try:
                return _ReadableFile(self.folder / name)
            except FileNotFoundError as error:
                raise self._lost(name) from error

    def link(self, name: str) -> str:
        other = uuid4().hex
        with translating(self.folder):
            try:
                os.link(self.folder / name, self.folder / other)
            except FileNotFoundError as error:
                raise self._lost(name) from error
        return other

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            # One that cannot be deleted now is swept away at the next start.
            with suppress(OSError):
                (self.folder / name).unlink()

    def sync(self, names: Collection[str]) -> None:
        """Make them durable: their bytes, and their names."""
        if names:
            with translating(self.folder):
                for name in names:
                    # A lost one must not keep the rest of its batch from being written: reading it fails.
                    with suppress(FileNotFoundError):
                        sync(self.folder / name)
                sync(self.folder)

    def sizes(self) -> dict[str, int]:
        """Every file's size in bytes."""
        with translating(self.folder), os.scandir(self.folder) as entries:
            return {entry.name: entry.stat().st_size for entry in entries}

    def _lost(self, name: str) -> StoreDamaged:
        return StoreDamaged(f"the content file {self.folder / name} is not there")


class _GrowingFile:
    """Open only while a piece is written: a client may begin as many as it has channels."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, piece: bytes | memoryview) -> None:
        left = memoryview(piece)
        with translating(self._path.parent):
            file = os.open(self._path, MORE)
            try:
                while left:
                    left = left[os.write(file, left) :]
            finally:
                os.close(file)

    def finish(self) -> str:
        return self._path.name

    def abandon(self) -> None:
        with suppress(OSError):
            self._path.unlink()


class _ReadableFile:
    __slots__ = ("_file", "_path", "length")

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self.length = os.fstat(self._file).st_size

    def read(self, offset: int, size: int) -> bytes:
        with translating(self._path.parent):
            return os.pread(self._file, size, offset)

    def close(self) -> None:
        os.close(self._file)
