"""Records: what the wiring notes in its journal, as rows for the store, and back.

Gathers the batch that is to be written next. A reference that came and went within one batch is
never written; its publisher is told that it is safe all the same, and it was.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from penstock.broker.definitions import CounterDocument, Kind
from penstock.broker.forms import PlainForm
from penstock.broker.takings import gather_takings
from penstock.store import Batch, Standing, StoredBacklog, as_change, as_row, is_plain
from penstock.wiring import MemoryBacklog, State
from penstock.wiring.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.broker.definitions import Definitions
    from penstock.broker.forms import Form
    from penstock.broker.reader import Reader
    from penstock.store import Found, Joined, Line, Raw, Store
    from penstock.wiring import Backlog, Message, Reference, Template
    from penstock.wiring.stock import Stock

__all__ = ["Records"]

GONE = State.GONE
STANDINGS = {State.DELAYED: Standing.DELAYED, State.BURIED: Standing.BURIED}


class Records:
    """The keeper of a broker's records."""

    def __init__(self, store: Store, definitions: Definitions, forms: Iterable[Form] = ()) -> None:
        self.journal = Journal()
        self._store = store
        self._definitions = definitions
        every = (PlainForm(), *forms)
        self._forms = {form.message_type: form for form in every}
        self._forms_by_number = {form.number: form for form in every}
        self.batch = Batch(1)
        store.settle_takings()
        self._last_message = store.last_message()
        #: (virtual host, queue) → its number in the store.
        self._numbers: dict[tuple[str, str], int] = {}
        #: The highest number a queue ever had: those of the destroyed never come again.
        self._last_queue = 0
        self._lines: defaultdict[int, list[Line]] = defaultdict(list)
        for line in store.lines():
            self._lines[line.queue].append(line)
        self._backlogs: dict[int, StoredBacklog] = {}
        self._readers: dict[int, Reader] = {}
        #: Batch → backlogs and readers that wait for it.
        self._waiting: defaultdict[int, set[int]] = defaultdict(set)

    def __repr__(self) -> str:
        return f"<Records of {len(self._numbers)} queues, {len(self.journal)} notes for {self.batch!r}>"

    # Queues

    def found_queue(self, host: str, name: str, number: int) -> list[Line]:
        """A queue was read back; what stands in it."""
        self._numbers[host, name] = number
        self.found_last_queue(number)
        return self._lines[number]

    def found_last_queue(self, number: int) -> None:
        """So many queues were numbered before."""
        self._last_queue = max(self._last_queue, number)

    def number_queue(self, host: str, name: str) -> int:
        """The number a queue's references are stored under, a new one if it has none."""
        number = self._numbers.get((host, name))
        if number is None:
            number = self._numbers[host, name] = self._next_number()
        return number

    def _next_number(self) -> int:
        self._last_queue += 1
        self._definitions.put("", Kind.COUNTER, "queue", CounterDocument(self._last_queue))
        return self._last_queue

    def backlog_for(self, host: str) -> Callable[[str, Template], Backlog]:
        """Makes the backlogs of a virtual host's queues."""

        def make(name: str, template: Template) -> Backlog:
            if not template.persistent:
                return MemoryBacklog()
            number = self.number_queue(host, name)
            lines = self._lines.pop(number, [])
            backlog = self._backlogs[number] = StoredBacklog(number, self._store, self, lines)
            return backlog

        return make

    def forget_queue(self, host: str, name: str) -> None:
        """A queue is gone; its number never comes again."""
        number = self._numbers.pop((host, name), None)
        if number is not None:
            self._backlogs.pop(number, None)

    # Readers: what one has taken stands under a number of its own, as if it were a queue.

    def number_reader(self, reader: Reader) -> None:
        """A reader is new."""
        reader.stored = self._next_number()
        self._readers[reader.stored] = reader

    def found_reader(self, reader: Reader, number: int) -> None:
        """A reader was read back."""
        reader.stored = number
        self._readers[number] = reader
        self.found_last_queue(number)

    def forget_reader(self, reader: Reader) -> None:
        """A reader is gone; its number never comes again."""
        self._readers.pop(reader.stored, None)

    def expect(self, reader: Reader) -> int:
        """Tell a reader when what has happened up to now is in the store; the batch's number."""
        self._waiting[self.batch.number].add(reader.stored)
        return self.batch.number

    # The keeper's part, for stored backlogs

    def keep(self, queue: int, reference: Reference) -> None:
        """See to it that a reference that goes behind memory has its row."""
        self._waiting[self.batch.number].add(queue)
        message = reference.message
        if not message.terms.persistent:
            if message.references > 1:
                # In other queues it stands in memory, or goes behind by itself.
                message = _part(reference)
            number = self._number(message)
            self._add_message(message, number, copies=1)
            self.batch.references.append(as_row(queue, number, reference, Standing.OVERFLOWED))

    def load(self, found: Found) -> Message:
        """The message a row tells of, made anew."""
        message = self._forms_by_number[found.front].read(found)
        message.stored = found.message
        return message

    def fetch(self, queue: int, priority: int, first: int, below: int, limit: int) -> list[Found]:
        """Rows in a line, as the store has them now."""
        return self._store.fetch(queue, priority, first, below, limit)

    def fetch_raw(
        self, front: int, queue: int, priority: int, first: int, below: int, limit: int
    ) -> list[Raw] | Joined:
        """The same, as a front has written it."""
        return self._store.fetch_raw(front, queue, priority, first, below, limit)

    # Gathering

    def gather(self, *, anyway: bool = False) -> Batch | None:
        """Everything noted since the last batch; None if there is nothing, unless one is wanted anyway."""
        batch = self.batch
        # What backlogs keep and clear stands in the batch already.
        kept = batch.references or batch.cleared
        if not (anyway or kept or len(self.journal) or self._definitions.changes):
            return None
        self._gather_references()
        for (kind, key), document in self._definitions.take().items():
            if document is None:
                batch.undefined.append((kind, key))
            else:
                batch.defined.append((kind, key, document))
        self.batch = Batch(batch.number + 1)
        return batch

    def _gather_references(self) -> None:
        noted = self.journal.take()
        gone = {reference for _, reference in noted.removed}
        never_written = self._gather_added(noted.added, gone)
        for queue, reference in noted.changed:
            if reference.state is not GONE and not queue.destroyed:
                self._gather_change(queue, reference)
        removals = self.batch.removals
        for queue, reference in noted.removed:
            if reference not in never_written:
                notes = reference.notes
                message = reference.message
                home = message.terms.priority if notes is None else notes.home
                removals.append((queue.stored, home, reference.sequence, message.stored))
        self.batch.dropped += [queue.stored for queue in noted.destroyed]
        gather_takings(noted, self.batch)

    def _gather_added(self, added: list[tuple[Stock, Reference]], gone: set[Reference]) -> set[Reference]:
        """Rows for newcomers; those that are gone already, for which there is none."""
        never_written: set[Reference] = set()
        copies: dict[Message, int] = {}
        plain = self.batch.plain_references
        for queue, reference in added:
            if (reference.state is GONE and reference in gone) or queue.destroyed:
                never_written.add(reference)
                continue
            message = reference.message
            if message.stored and message not in copies:
                # Sent once more by whoever kept hold of it: to the store that is another one.
                message = _part(reference)
            number = message.stored or self._number(message)
            copies[message] = copies.get(message, 0) + 1
            if is_plain(reference):
                plain.append((queue.stored, message.terms.priority, reference.sequence, number))
            else:
                self.batch.references.append(as_row(queue.stored, number, reference, _standing(reference)))
                if reference.notes is not None:
                    reference.notes.home = reference.notes.priority
        for message, count in copies.items():
            self._add_message(message, message.stored, count)
        return never_written

    def _gather_change(self, queue: Stock, reference: Reference) -> None:
        notes = reference.noted()
        self.batch.changes.append(as_change(queue.stored, notes.home, reference, _standing(reference)))
        notes.home = notes.priority

    def _number(self, message: Message) -> int:
        self._last_message += 1
        message.stored = self._last_message
        return self._last_message

    def _add_message(self, message: Message, number: int, copies: int) -> None:
        form = self._forms[type(message)]
        content, extra, file = form.write(message)
        if extra is None and message.terms.group is not None:
            # Whoever takes a run unseen must know that there is more to this one.
            extra = b""
        common = (number, form.number, content, message.proxy, message.destination, message.size)
        if extra is None and file is None and copies == 1:
            self.batch.plain_messages.append(common)
        else:
            self.batch.messages.append((*common, extra, file, copies))

    def written(self, number: int) -> None:
        """A batch is in the store: backlogs need not remember what it holds."""
        for queue in self._waiting.pop(number, ()):
            backlog = self._backlogs.get(queue)
            if backlog is not None:
                backlog.committed(number)
            reader = self._readers.get(queue)
            if reader is not None:
                reader.written(number)


def _standing(reference: Reference) -> Standing:
    """How it stands in the store: what has ever left its line does not stand in it again."""
    standing = STANDINGS.get(reference.state)
    if standing is None:
        aside = reference.notes is not None and reference.notes.aside
        standing = Standing.DELAYED if aside else Standing.READY
    return standing


def _part(reference: Reference) -> Message:
    """A message of its own for this reference."""
    reference.message.references -= 1
    reference.message = twin = reference.message.twin()
    twin.references = 1
    return twin
