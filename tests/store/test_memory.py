"""What all stores have in common is in tests/contracts/test_store.py."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import inf

from penstock.store import END, Batch, MemoryStore, Standing
from tests.store.support import fetched, message, photograph, plain, reference, removal


def test_it_says_how_much_it_keeps() -> None:
    store = MemoryStore()
    store.write(plain([1, 2]))
    assert repr(store) == "<MemoryStore 2 messages>"
    store.close()


def test_nothing_is_left_of_what_has_gone() -> None:
    store = MemoryStore()
    empty = photograph(store)
    store.write(plain(range(1, 200)))
    store.write(removal(range(1, 200)))
    assert photograph(store) == empty
    assert (store._messages, store._copies, store._lines) == ({}, {}, {})


def test_what_was_purged_or_dropped_is_gone_at_once() -> None:
    store = MemoryStore()
    name = store.contents.create().finish()
    batch = plain(range(1, 5))
    batch.messages.append(message(5, file=name, copies=2))
    batch.references += [reference((1, 0, 5), 5, Standing.BURIED), reference((2, 0, 1), 5, expires_at=7.0)]
    store.write(batch)
    store.write(Batch(2, cleared=[(1, 0, 2, 9), (9, 9, 0, END)]))
    assert [tuple(line) for line in store.lines()] == [(1, 0, 1, 1, 5), (2, 0, 1, 0, 1)]
    assert (store.weigh(1), len(store.aside(1, Standing.BURIED, (-1, -1), 9)), store.last_message()) == (
        104,
        1,
        5,
    )
    store.write(Batch(3, dropped=[1, 2], defined=[("a", "b", b"c")]))
    assert (store.lines(), store.expiring(2, (0.0, -1, -1), 9), repr(store.contents)) == (
        [],
        [],
        "<ContentMemory 0 contents>",
    )


def test_a_change_moves_it_in_every_order() -> None:
    store = MemoryStore()
    store.write(plain([1, 2]))
    gone = (0, Standing.READY, 0.0, None, 0, 0, 0, None, None, 1, 0, 99)
    store.write(Batch(2, changes=[(7, Standing.READY, 0.0, 5.0, 1, 0, 0, None, None, 1, 0, 1), gone]))
    assert (fetched(store), fetched(store, priority=7)) == ([2], [1])
    assert [found.sequence for found in store.expiring(1, (-inf, -1, -1), 9)] == [1]
    store.write(Batch(3, undefined=[("a", "b")], removals=[(1, 7, 1, 1)]))
    assert (store.expiring(1, (-inf, -1, -1), 9), store.definitions()) == ([], [])


def test_the_writer_and_the_loop_do_not_disturb_each_other() -> None:
    store = MemoryStore()

    def write() -> None:
        for number in range(1, 1000):
            store.write(plain([number]))

    with ThreadPoolExecutor(1) as writer:
        written = writer.submit(write)
        while not written.done():
            found = [row.sequence for row in store.fetch(1, 0, 0, END, 2000)]
            assert found == list(range(1, len(found) + 1))
        written.result()
    assert len(fetched(store)) == 999
