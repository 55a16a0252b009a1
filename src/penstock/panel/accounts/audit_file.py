"""The audit log's file: a JSON object a line, on disk when it is said to be, begun anew when it has grown.

A change has two lines with the same id: that it began, before it is made, and what came of it. One without
an end was cut off by a crash; whether the change was made, the broker itself shows.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock.durable import sync

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

__all__ = ["FILE", "AuditFile", "Entry"]

log = logging.getLogger(__name__)

FILE: Final = "audit.jsonl"
#: Bytes of a file, and files that are kept beside it: .1 is the newest.
FILE_MOST: Final = 8 * 1024 * 1024
FILES: Final = 4


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One change, or one try at it."""

    #: What the lines of one change have in common.
    id: str = ""
    #: Seconds since the epoch: when it was asked for.
    at: float
    #: Who asked; empty if that is not known. From where.
    who: str
    address: str
    #: What for: HTTP's verb and the path.
    what: str
    #: Which things, and how many: see about.py.
    about: dict[str, Any] = {}
    #: The status it was answered with, 0 if it was not; and "done", or why not, in a word.
    status: int
    outcome: str


class AuditFile:
    """Lines in a folder. One thread at a time."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE

    def __repr__(self) -> str:
        return f"<AuditFile {self.path}>"

    def append(self, entries: Sequence[Entry]) -> None:
        """Write entries down; returns when they are on disk, or the operator is told why they are not."""
        if not entries:
            return
        try:
            if self.path.exists() and self.path.stat().st_size > FILE_MOST:
                self._turn()
            is_new = not self.path.exists()
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "ab") as opened:
                # A line that a crash has cut stays alone: what comes after it can be read.
                begin = b"" if self._is_whole() else b"\n"
                opened.write(begin + b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries))
                opened.flush()
                os.fsync(opened.fileno())
            if is_new:
                sync(self.path.parent)
        except OSError as error:
            # A full disk must not keep anybody from emptying a queue: it is told in the log instead.
            log.error("%s cannot be written: %s", self.path, error)  # noqa: TRY400 (the reason is all there is)

    def read(self, most: int) -> list[Entry]:
        """The last entries; a line that a crash has cut is left out."""
        return list(_entries([*self._lines(self._older(1)), *self._lines(self.path)][-most:]))

    def _lines(self, path: Path) -> list[bytes]:
        try:
            return path.read_bytes().splitlines() if path.exists() else []
        except OSError as error:
            log.error("%s cannot be read: %s", path, error)  # noqa: TRY400 (likewise)
            return []

    def _is_whole(self) -> bool:
        """Whether the file ends where a line does."""
        with self.path.open("rb") as opened:
            size = opened.seek(0, os.SEEK_END)
            return not size or (opened.seek(size - 1) >= 0 and opened.read(1) == b"\n")

    def _older(self, number: int) -> Path:
        return self.path.with_name(f"{FILE}.{number}")

    def _turn(self) -> None:
        """Begin anew, and keep a few of those before."""
        names = [self.path, *(self._older(number) for number in range(1, FILES + 1))]
        for older, newer in zip(reversed(names), list(reversed(names))[1:], strict=False):
            if newer.exists():
                newer.replace(older)


def _entries(lines: Iterable[bytes]) -> Iterable[Entry]:
    for line in lines:
        try:
            yield msgspec.json.decode(line, type=Entry)
        except msgspec.MsgspecError:
            continue
