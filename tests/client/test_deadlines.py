from __future__ import annotations

from math import inf

from penstock.client.deadlines import GRAIN, Deadlines
from penstock.clock import VirtualClock


class Book:
    def __init__(self) -> None:
        self.clock = VirtualClock(100.0)
        self.deadlines = Deadlines(self.clock, self.expire)
        self.open: list[float] = []
        self.rings: list[float] = []

    def add(self, deadline: float) -> None:
        self.open.append(deadline)
        self.deadlines.watch(deadline)

    def expire(self, now: float) -> float:
        self.rings.append(now)
        self.open = [deadline for deadline in self.open if deadline > now]
        return min(self.open, default=inf)


def test_the_earliest_rings_first_whenever_it_was_set() -> None:
    book = Book()
    for deadline in (110.0, 105.0, 120.0):
        book.add(deadline)
    assert repr(book.deadlines) == "<Deadlines, the next at 105.0>"
    book.clock.advance(30)
    assert book.rings == [105.0, 110.0, 120.0]


def test_many_that_are_close_together_ring_together() -> None:
    book = Book()
    for number in range(1000):
        book.add(110.0 + number * GRAIN / 1000)
    book.clock.advance(20)
    assert book.rings == [110.0, 110.0 + GRAIN]


def test_after_the_end_nothing_rings() -> None:
    book = Book()
    book.add(105.0)
    book.deadlines.stop()
    book.deadlines.stop()
    book.clock.advance(30)
    assert book.rings == []


def test_one_that_is_set_while_it_rings_is_not_forgotten() -> None:
    book = Book()
    expire = book.expire

    def expire_and_add(now: float) -> float:
        if not book.rings:
            book.add(now + 1)
        return expire(now)

    book.deadlines._expire = expire_and_add
    book.add(105.0)
    book.clock.advance(30)
    assert book.rings == [105.0, 106.0]
