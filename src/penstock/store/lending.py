"""Lending: connections that read, for threads beside the loop. Each is one thread's at a time."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Condition
from typing import TYPE_CHECKING

from penstock.store.connecting import open_reader

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Lending"]


class Lending:
    """As many connections as are wanted at once; they are kept for whoever comes next."""

    def __init__(self, path: Path) -> None:
        """Nothing is opened before somebody asks."""
        self._path = path
        self._idle: list[sqlite3.Connection] = []
        self._lent = 0
        self._changed = Condition()

    def __repr__(self) -> str:
        return f"<Lending {self._path}: {self._lent} lent, {len(self._idle)} idle>"

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """One that nobody else has."""
        with self._changed:
            self._lent += 1
            found = self._idle.pop() if self._idle else None
        try:
            found = found or open_reader(self._path)
            yield found
        finally:
            with self._changed:
                self._lent -= 1
                if found is not None:
                    self._idle.append(found)
                self._changed.notify_all()

    def close(self) -> None:
        """Close all of them, when those who have one are done: what is read at a time takes milliseconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._lent)
            for each in self._idle:
                each.close()
            self._idle.clear()
