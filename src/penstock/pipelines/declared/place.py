"""The folder of one pipeline, under the folder of them all.

    <data>/<pipeline>/checkpoint/   Spark's: how far it came
                      status.json   how it is doing
                      columns.json  what it wrote last
                      set-aside/    rows that could not be handled, a file for each batch
                      refused/      those of them that the sink has just refused
                      lock          held by the process that runs it

A checkpoint has one writer: Spark does not see to that, so the lock does. It ends with the process that holds
it, however that ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from penstock.durable import replacing
from penstock.errors import PipelineRunning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path
    from typing import Any

__all__ = ["Place"]

#: What a batch that must not be committed is read by: all but the state, which is the transform's.
POSITIONS: Final = ("metadata", "offsets", "commits", "sources")
#: Seconds before each attempt to get the lock.
AGAIN_IN: Final = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)


class Place:
    """Where one pipeline keeps what it must not forget."""

    __slots__ = ("checkpoint", "columns", "folder", "lock", "name", "refused", "set_aside", "status")

    def __init__(self, data: Path, name: str) -> None:
        self.name = name
        self.folder = data / name
        self.checkpoint = self.folder / "checkpoint"
        self.status = self.folder / "status.json"
        self.columns = self.folder / "columns.json"
        self.set_aside = self.folder / "set-aside"
        self.refused = self.folder / "refused"
        self.lock = self.folder / "lock"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else runs it meanwhile.

        Raises:
            PipelineRunning: somebody does.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.lock, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            # Who only looks has it for a moment; who runs the pipeline has it longer than this takes.
            if not any(_got(lock, fcntl.LOCK_EX, wait) for wait in AGAIN_IN):
                raise PipelineRunning(
                    f"pipeline {self.name} is run by another process, with the data in {self.folder}"
                )
            yield
        finally:
            os.close(lock)

    @property
    def is_held(self) -> bool:
        """Whether somebody runs it. Any number may look at once, and none stands in a starter's way."""
        try:
            lock = os.open(self.lock, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            return not _got(lock, fcntl.LOCK_SH)
        finally:
            os.close(lock)

    def pending_batch(self) -> int | None:
        """The batch that has begun and is not done; None if none is."""
        begun, done = _batches(self.checkpoint / "offsets"), _batches(self.checkpoint / "commits")
        return max(begun) if begun and max(begun) not in done else None

    def copy_positions(self, to: Path) -> None:
        """Copy the checkpoint without its state: a query on the copy reads the pending batch first."""
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir(parents=True)
        for name in POSITIONS:
            part = self.checkpoint / name
            if part.is_dir():
                shutil.copytree(part, to / name)
            elif part.exists():
                shutil.copy2(part, to / name)

    def forget(self) -> None:
        """Delete what it knows of its progress; rows set aside stay."""
        shutil.rmtree(self.checkpoint, ignore_errors=True)
        for file in (self.status, self.columns):
            file.unlink(missing_ok=True)

    def write(self, file: Path, fields: Mapping[str, Any]) -> None:
        """Replace one of the files: who reads it finds the old or the new, never a half."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with replacing(file) as new:
            new.write(json.dumps(fields, indent=2).encode())

    def read(self, file: Path) -> dict[str, Any] | None:
        """What one of the files says; None if it is not there."""
        with suppress(FileNotFoundError):
            found: dict[str, Any] = json.loads(file.read_text())
            return found
        return None

    def __repr__(self) -> str:
        return f"<Place {self.folder}{' held' if self.is_held else ''}>"


def _got(lock: int, kind: int, wait: float = 0.0) -> bool:
    """Get a lock, after a while; whether that worked."""
    threading.Event().wait(wait)
    with suppress(BlockingIOError):
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
        return True
    return False


def _batches(folder: Path) -> set[int]:
    """The batches that a log of Spark's names; its other files begin with a dot."""
    return {int(file.name) for file in folder.glob("*") if file.name.isdecimal()}
