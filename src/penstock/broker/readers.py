"""Readers of a virtual host: opened, found, deleted, and brought back after a restart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.broker.page import Taken
from penstock.broker.reader import Reader
from penstock.errors import BadConfiguration, UnknownReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from penstock.broker.definitions import Definitions, ReaderDocument
    from penstock.broker.records import Records
    from penstock.wiring import Queue, Wiring
    from penstock.wiring.stretch import Stretch

__all__ = ["Reader", "Readers", "Taken"]


class Readers:
    """All readers of a virtual host. What is done to one is durable when the next batch is written."""

    def __init__(self, host: str, wiring: Wiring, definitions: Definitions, records: Records) -> None:
        self._host = host
        self._wiring = wiring
        self._definitions = definitions
        self._records = records

    def __iter__(self) -> Iterator[Reader]:
        for queue in self._wiring.queues.values():
            for reader in queue.readers.values():
                if isinstance(reader, Reader):
                    yield reader

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<Readers of {self._host!r}: {len(self)}>"

    def open(self, queue: str, name: str) -> Reader:
        """The reader of that name, made if it is new.

        Raises:
            UnknownQueue: there is nothing to read.
            Locked: the queue is private to a connection.
            BadConfiguration: a reader cannot have that name.
        """
        place = self._wiring.queue(queue)
        reader = self._of(place, name)
        if reader is None:
            if not name:
                raise BadConfiguration("a reader has a name, so that it can be found again: give it one")
            reader = self._make(place, name)
            if place.stored:
                self._records.number_reader(reader)
                reader.write_down()
        return reader

    def get(self, queue: str, name: str) -> Reader:
        """The reader of that name.

        Raises:
            UnknownQueue, UnknownReader, Locked: there is none to be had.
        """
        reader = self._of(self._wiring.queue(queue), name)
        if reader is None:
            raise UnknownReader(f"queue {queue!r} has no reader {name!r}: open it first")
        return reader

    def delete(self, reader: Reader, now: float) -> None:
        """Give what is not committed back to the queue, and forget the reader."""
        reader.give_back(now)

    def found(self, told: ReaderDocument, stretches: Iterable[Stretch]) -> Reader:
        """A reader was read back, with what it had taken."""
        reader = self._make(self._wiring.queue(told.queue), told.name)
        self._records.found_reader(reader, told.id)
        reader.resume(told.committed, stretches)
        return reader

    def _of(self, queue: Queue, name: str) -> Reader | None:
        reader = queue.readers.get(name)
        return reader if isinstance(reader, Reader) else None

    def _make(self, queue: Queue, name: str) -> Reader:
        reader = Reader(name, queue, self._host, self._records, self._definitions)
        queue.readers[name] = reader
        return reader
