"""The store on a disk: an SQLite database, and files for large bodies, in a folder of its own.

    penstock.db  penstock.db-wal  penstock.db-shm  lock  contents/  quarantine/

One connection for the writer's thread, one for the loop, and others for who reads much; what they do stands
in files of their own.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import StoreFull
from penstock.store.connecting import open_reader, open_writer
from penstock.store.content_files import ContentFiles
from penstock.store.inspection import inspect
from penstock.store.joined import fetch_raw
from penstock.store.lending import Lending
from penstock.store.lock import Lock
from penstock.store.queries import load
from penstock.store.rows import Found, Line
from penstock.store.seam import translating
from penstock.store.tidying import Tidying
from penstock.store.writing import apply, settle_takings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.errors import StoreDamaged
    from penstock.store.batch import Batch
    from penstock.store.joined import Joined
    from penstock.store.rows import Definition, Expiry, Raw, Standing, Taking

__all__ = ["SqliteStore"]

SQL: Final = load("read")


class SqliteStore:
    """A folder that outlives the broker."""

    def __init__(self, folder: Path) -> None:
        """Open it, making what is not there yet.

        Raises:
            StoreLocked, StoreReadOnly, StoreFull, StoreForeign, StoreTooNew, StoreDamaged: nothing
                was opened.
        """
        self.folder = folder
        self._path = folder / "penstock.db"
        #: Content files whose rows are gone.
        self._litter: list[str] = []
        with translating(folder), ExitStack() as opened:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = Lock(folder / "lock")
            opened.callback(lock.release)
            self.contents = ContentFiles(folder / "contents")
            self._writer = open_writer(self._path)
            opened.callback(self._writer.close)
            self.damaged: list[StoreDamaged] = inspect(self._writer, self.contents, folder / "quarantine")
            self._reader = open_reader(self._path)
            opened.callback(self._reader.close)
            self._lending = Lending(self._path)
            opened.callback(self._lending.close)
            self._void = self.last_message()
            self._tidying = Tidying(self._writer, self._void)
            self._finish_purges()
            self._opened = opened.pop_all()

    def __repr__(self) -> str:
        return f"<SqliteStore {self.folder}>"

    def close(self) -> None:
        with translating(self._path):
            self._opened.close()

    # The writer thread

    def write(self, batch: Batch) -> None:
        self.contents.sync([file for *_, file, _copies in batch.messages if file is not None])
        try:
            with self._transaction():
                files = apply(self._writer, batch)
        except StoreFull:
            # What is in the log already may leave room there for the next try, or for smaller batches.
            with suppress(sqlite3.Error):
                self._tidying.checkpoint(at_once=True)
            raise
        self._tidying.note(batch)
        self._litter += files

    def tidy(self) -> bool:
        files = None
        if not self._tidying.idle:
            with self._transaction():
                files = self._tidying.slice()
            self._litter += files or ()
        # It takes its time to delete a large file.
        self.contents.delete(self._litter)
        self._litter.clear()
        with translating(self._path):
            self._tidying.checkpoint()
            return files is not None or self._tidying.give_back()

    def _finish_purges(self) -> None:
        """What was purged must not be read again; that it was is forgotten when the broker stops."""
        with self._transaction():
            self._tidying.forget_empty()
        more = True
        while more:
            with self._transaction():
                files = self._tidying.slice_of_cleared()
            more = files is not None
            self._litter += files or ()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translating(self._path):
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._writer.execute("COMMIT")
            except BaseException:
                # After some errors, a full disk among them, SQLite has rolled back by itself.
                with suppress(sqlite3.Error):
                    self._writer.execute("ROLLBACK")
                raise

    # The loop

    def definitions(self) -> list[Definition]:
        return self._read("definitions", {})

    def lines(self) -> list[Line]:
        out = {
            (queue, priority): (count, aside)
            for queue, priority, count, aside in self._read("out_of_line", {"void": self._void})
        }
        lines = []
        for queue, priority, count, last in self._read("lines", {}):
            without, aside = out.get((queue, priority), (0, 0))
            lines.append(Line(queue, priority, count - without, aside, last))
        return lines

    def takings(self) -> list[Taking]:
        return self._read("takings", {})

    def settle_takings(self) -> None:
        with self._transaction():
            settle_takings(self._writer)

    def last_message(self) -> int:
        last: int = self._read("last_message", {})[0][0]
        return last

    def fetch(self, queue: int, priority: int, first: int, below: int, limit: int) -> list[Found]:
        place = {"queue": queue, "priority": priority, "first": first, "below": below}
        return self._find("fetch", place, limit)

    def nth(self, queue: int, priority: int, first: int, below: int, skip: int) -> int | None:
        place = {"queue": queue, "priority": priority, "first": first, "below": below, "skip": skip}
        found = self._read("nth", {**place, "void": self._void})
        return found[0][0] if found else None

    def fetch_raw(
        self, front: int, queue: int, priority: int, first: int, below: int, limit: int
    ) -> list[Raw] | Joined:
        place: dict[str, Any] = {"queue": queue, "priority": priority, "first": first, "below": below}
        place |= {"front": front, "limit": limit, "void": self._void}
        with translating(self._path), self._lending.connection() as connection:
            return fetch_raw(connection, place)

    def run(
        self, queue: int, priority: int, first: int, below: int, limit: int, *, weighed: bool
    ) -> tuple[int, int, int, int]:
        place = {"queue": queue, "priority": priority, "first": first, "below": below, "limit": limit}
        found: tuple[int, int, int, int] = self._read("weighed_run" if weighed else "run", place)[0]
        return found

    def aside(self, queue: int, standing: Standing, after: tuple[int, int], limit: int) -> list[Found]:
        place = {"queue": queue, "standing": int(standing), "priority": after[0], "sequence": after[1]}
        return self._find("aside", place, limit)

    def expiring(self, queue: int, after: Expiry, limit: int) -> list[Found]:
        expires_at, priority, sequence = after
        place = {"queue": queue, "expires_at": expires_at, "priority": priority, "sequence": sequence}
        return self._find("expiring", place, limit)

    def weigh(self, queue: int) -> int:
        weight: int = self._read("weigh", {"queue": queue, "void": self._void})[0][0]
        return weight

    def _find(self, name: str, place: dict[str, Any], limit: int) -> list[Found]:
        return list(map(Found._make, self._read(name, {**place, "limit": limit, "void": self._void})))

    def _read(self, name: str, place: dict[str, Any]) -> list[Any]:
        with translating(self._path):
            return self._reader.execute(SQL[name], place).fetchall()
