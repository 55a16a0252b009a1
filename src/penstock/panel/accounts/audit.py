"""The audit log: every change that somebody asked for, who it was, and what came of it.

That a change begins is on disk before it is made, and what came of it before it is answered: whenever the
broker is killed, every change that was made has a line. The last of them stand in memory, for the page. Of
what was sent with a request there is only what names the things that were acted on (about.py).
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from secrets import token_hex
from typing import TYPE_CHECKING, Final

import msgspec

from penstock.panel.accounts.audit_file import AuditFile, Entry
from penstock.panel.replies import WORDS

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BEGAN", "DONE", "UNKNOWN", "Audit", "Entry", "outcome_of"]

log = logging.getLogger(__name__)

#: Entries in memory.
KEPT: Final = 1000
#: Characters of a path: a name may be as long as a client likes.
PATH_MOST: Final = 500
#: From this status on something was refused.
REFUSED: Final = 400
DONE: Final = "done"
#: Of a change that is being made, and of one that the broker's end cut off.
BEGAN: Final = "began"
UNKNOWN: Final = "began, end unknown"


class Audit:
    """Keeps entries. `close` it at the end."""

    def __init__(self, folder: Path | None = None, kept: int = KEPT) -> None:
        """A log; with a folder it finds what was written there before."""
        self._kept = kept
        self._file = None if folder is None else AuditFile(folder)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="penstock-audit")
        #: By id, in the order they began.
        self._entries: dict[str, Entry] = {}
        #: What is to be written next, all of it at once: while a disk syncs, others come.
        self._unwritten: list[Entry] = []
        self._writing = asyncio.Lock()
        if self._file is not None:
            self._find_again(self._file)

    def __repr__(self) -> str:
        return f"<Audit of {len(self._entries)} entries, in {self._file or 'memory'}>"

    def newest(self, limit: int) -> list[Entry]:
        """The last of them, the newest first."""
        return list(islice(reversed(self._entries.values()), limit))

    async def begin(self, entry: Entry) -> Entry:
        """A change is about to be made; make it when this returns, and then `end` what this returns."""
        begun = _named(msgspec.structs.replace(entry, status=0, outcome=BEGAN))
        await self._keep(begun)
        return begun

    async def end(self, begun: Entry, status: int) -> None:
        """What came of it; returns when it is on disk, so that nobody is told of a change that is not."""
        await self._told(msgspec.structs.replace(begun, status=status, outcome=outcome_of(status)))

    async def add(self, entry: Entry) -> None:
        """Something that changed nothing in the broker: a login, or a try that was refused."""
        await self._told(_named(entry))

    async def _told(self, entry: Entry) -> None:
        who, about = entry.who or "somebody", f" {entry.about}" if entry.about else ""
        log.info("%s from %s: %s%s: %s", who, entry.address, entry.what, about, entry.outcome)
        await self._keep(entry)

    async def _keep(self, entry: Entry) -> None:
        self._remember(entry)
        if self._file is None:
            return
        self._unwritten.append(entry)
        async with self._writing:
            # Whoever comes first writes for all who wait. Who finds nothing left goes the same way: one whose
            # request was broken off may have begun to write it.
            some, self._unwritten = self._unwritten, []
            await asyncio.get_running_loop().run_in_executor(self._thread, self._file.append, some)

    def _remember(self, entry: Entry) -> None:
        self._entries[entry.id] = entry
        if len(self._entries) > self._kept:
            del self._entries[next(iter(self._entries))]

    def _find_again(self, file: AuditFile) -> None:
        # A change has two lines.
        for entry in file.read(2 * self._kept):
            self._remember(_named(entry))
        cut_off = [entry for entry in self._entries.values() if entry.outcome == BEGAN]
        for entry in cut_off:
            self._remember(msgspec.structs.replace(entry, outcome=UNKNOWN))
        if cut_off:
            file.append([self._entries[entry.id] for entry in cut_off])

    def close(self) -> None:
        """Wait for what is being written."""
        self._thread.shutdown()


def _named(entry: Entry) -> Entry:
    """The entry with an id, and with a path of which the log is not full."""
    name = entry.id or token_hex(6)
    return msgspec.structs.replace(entry, id=name, what=entry.what[:PATH_MOST])


def outcome_of(status: int) -> str:
    """What came of it, in a word."""
    return DONE if status < REFUSED else WORDS.get(status, "refused").lower().replace(" ", "_")
