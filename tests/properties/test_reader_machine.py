"""Readers among all the other traffic of a broker that is killed at any commit.

Beside what its base checks: a position holds the same message however often it is read, from memory or
from the store, until it is committed, and none is given twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from penstock.broker import reader as broker_reader
from tests.broker.support import NO_FRONT, bodies_at, positions
from tests.properties.test_broker_machine import BrokerMachine

if TYPE_CHECKING:
    from penstock.broker import Reader
    from tests.broker.support import Bench

#: A few messages, so that others are in the store only.
WINDOW = 4 * broker_reader.MESSAGE


class ReaderMachine(BrokerMachine):
    """Two readers a queue at most, and all that its base does."""

    def __init__(self) -> None:
        self.window = patch.object(broker_reader, "WINDOW_BYTES", WINDOW)
        self.window.start()
        super().__init__()

    def _open(self, bench: Bench) -> None:
        super()._open(bench)
        #: What each reader has under which position, as it was when it was taken, or when all came back.
        self.model = {reader: positions(reader, transient=True) for reader in bench.host().readers}

    def _reader(self, data: st.DataObject) -> Reader:
        readers = sorted(self.bench.host().readers, key=lambda reader: (reader.queue.name, reader.name))
        assume(readers)
        return data.draw(st.sampled_from(readers))

    @rule(data=st.data(), name=st.sampled_from(["one", "two"]))
    def open_reader(self, data: st.DataObject, name: str) -> None:
        reader = self.bench.host().readers.open(self._draw(data).name, name)
        self.model.setdefault(reader, {})

    @rule(data=st.data(), rows=st.integers(1, 9), size=st.sampled_from([1, 5, 1000]))
    def take(self, data: st.DataObject, rows: int, size: int) -> None:
        reader = self._reader(data)
        before, ready = reader.taken, reader.waiting
        assert reader.take(rows, size, self.now) == reader.taken
        assert reader.waiting + reader.taken - before == ready
        new = {at: body for at, body in positions(reader, transient=True).items() if at > before}
        assert sorted(new) == list(range(before + 1, reader.taken + 1))
        assert len(new) <= rows
        assert len(new) <= 1 or sum(len(str(number)) for number in new.values()) <= size
        self.model[reader] |= new

    @rule(
        data=st.data(),
        start=st.integers(0, 5),
        length=st.integers(1, 9),
        front=st.sampled_from([NO_FRONT, 0]),
    )
    def read(self, data: st.DataObject, start: int, length: int, front: int) -> None:
        reader = self._reader(data)
        start += reader.committed
        found = bodies_at(self.bench.loop.run_until_complete(reader.read(start, start + length, front)))
        wanted = {at: body for at, body in self.model[reader].items() if start < at <= start + length}
        assert {at: int(body) for at, body in found.items()} == wanted

    @rule(data=st.data(), part=st.floats(0, 1))
    def commit(self, data: st.DataObject, part: float) -> None:
        reader = self._reader(data)
        committed = reader.committed
        position = committed + round(reader.uncommitted * part)
        left = {at: body for at, body in self.model[reader].items() if at > position}
        # What did not survive a restart is counted as done with too.
        self.left[reader.queue] -= position - committed - (len(self.model[reader]) - len(left))
        reader.commit(position)
        self.model[reader] = left

    @rule(data=st.data())
    def delete_reader(self, data: st.DataObject) -> None:
        reader = self._reader(data)
        self.bench.host().readers.delete(reader, self.now)
        assert reader not in list(self.bench.host().readers)

    @rule(data=st.data(), rows=st.integers(1, 9), part=st.floats(0, 1), jobs=st.integers(0, 2))
    def whole_life(self, data: st.DataObject, rows: int, part: float, jobs: int) -> None:
        """All of it, with the writer at work or not: what is not written yet is the hardest to take back."""
        self.open_reader(data, "brief")
        self.take(data, rows, 1000)
        for _ in range(jobs):
            self.turn()
            self.bench.work()
        self.take(data, rows, 1000)
        self.commit(data, part)
        self.delete_reader(data)

    @invariant()
    def what_is_taken_is_where_it_was(self) -> None:
        for reader in self.bench.host().readers:
            assert positions(reader, transient=True) == self.model[reader]

    def teardown(self) -> None:
        self.window.stop()
        super().teardown()


ReaderMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=40)
TestReaders = ReaderMachine.TestCase


@pytest.mark.soak
def test_the_same_for_long() -> None:
    run_state_machine_as_test(ReaderMachine, settings=settings(max_examples=1000, stateful_step_count=70))
