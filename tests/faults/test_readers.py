"""A durable reader of a broker that is killed again and again, beside a consumer of the same queue.

The load is that of `load.py`, whose `check` knows what is promised of the queue; the ledger knows what is
promised of the reader.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING

import pytest

from penstock.client.reader import QueueReader
from penstock.errors import NotConnected
from tests.faults import load
from tests.faults.broker import PATIENCE_S, FaultyBroker, wait_for

if TYPE_CHECKING:
    from pathlib import Path

#: Seconds between the first confirm, ack and commit, and the end of a life, at random.
LIVES = (0.0, 0.4)


class Ledger:
    """What the reader has read, by position: whatever happens to the broker, it stays what it was."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.rows: dict[int, int] = {}
        #: The last position that the broker said it has taken, and committed.
        self.taken = self.committed = 0
        self._known = 0

    def begin(self) -> None:
        """A new life of the broker begins."""
        self._known = self.committed

    def has_news(self) -> bool:
        """Whether anything was committed in this life."""
        return self.committed > self._known

    def reader(self, broker: FaultyBroker) -> QueueReader:
        assert broker.running is not None
        return QueueReader(broker.running.url, load.QUEUE, "ledger", timeout=PATIENCE_S)

    def read(self, reader: QueueReader, start: int, end: int) -> set[int]:
        """The numbers in a range; what was read before must be the same."""
        found = {
            position: load.number_of(body)
            for batch in reader.read(start, end, ["position", "body"])
            for position, body in zip(*batch.to_pydict().values(), strict=True)
        }
        assert list(found) == list(range(start + 1, end + 1)), "a range has a hole"
        assert {position: self.rows.get(position, number) for position, number in found.items()} == found
        self.rows |= found
        return set(found.values())

    def work(self, broker: FaultyBroker) -> None:
        """Take, read and commit, until the broker is gone."""
        with self.reader(broker) as reader:
            try:
                while True:
                    self.taken = reader.take(self._chance.randint(1, 200), 1 << 22)
                    self.read(reader, self.committed, self.taken)
                    # Seldom all of it: what is left is read again.
                    committed = self._chance.randint(self.committed, self.taken)
                    reader.commit(committed)
                    self.committed = committed
            except NotConnected:
                pass

    def check(self, broker: FaultyBroker, book: load.Book) -> None:
        """What must be true after each crash.

        - What the broker said it has taken, or committed, it has; it may have done the next step too.
        - What is read again is what it was; no message has two positions.
        - What is the reader's is nobody else's, and what was somebody else's for good is not the reader's.
        """
        before = set(self.rows.values())
        with self.reader(broker) as reader:
            state = reader.state()
            assert state.committed >= self.committed
            assert state.taken >= self.taken
            self.committed, self.taken = state.committed, state.taken
            held = self.read(reader, state.committed, state.taken)
        assert len(set(self.rows.values())) == len(self.rows), "a message has two positions"
        assert not (held - before) & book.gone, "back from the dead"
        mine = set(self.rows.values())
        book.acked |= mine
        load.check(book, broker)
        assert mine <= book.gone, "in the queue and taken"


def kill_again_and_again(folder: Path, rounds: int) -> None:
    chance = random.Random()
    seed = chance.randrange(2**32)
    chance.seed(seed)
    print(f"seed {seed}")  # noqa: T201  shown when it fails
    book, ledger = load.Book(), Ledger(chance)
    with FaultyBroker(folder) as broker:
        broker.start()
        with broker.channel() as channel:
            load.declare(channel)
        with ledger.reader(broker) as reader:
            reader.open()
        for _ in range(rounds):
            ledger.begin()
            threads = [*load.run(book, broker), threading.Thread(target=ledger.work, args=(broker,))]
            threads[-1].start()
            wait_for(lambda: book.has_news() and ledger.has_news(), "a confirm, an ack and a commit")
            time.sleep(chance.uniform(*LIVES))
            broker.kill()
            for thread in threads:
                thread.join()
            broker.start()
            ledger.check(broker, book)
        give_back(ledger, broker)
    # Given some of everything that the promises concern.
    assert ledger.committed >= rounds
    assert len(book.gone) > len(ledger.rows)


def give_back(ledger: Ledger, broker: FaultyBroker) -> None:
    """A reader that is deleted gives back what it did not commit, in order."""
    kept = [ledger.rows[position] for position in range(ledger.committed + 1, ledger.taken + 1)]
    with ledger.reader(broker) as reader:
        reader.delete()
    with broker.channel() as channel:
        found = load.found_in(channel, load.QUEUE)
    assert found == sorted(found)
    assert set(kept) <= set(found)


def test_what_a_reader_took_is_the_same_after_kill_9(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 4)


@pytest.mark.soak
def test_what_a_reader_took_is_the_same_after_kill_9_for_long(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path, 200)
