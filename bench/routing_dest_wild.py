"""DEST-WILD is flat: what one route costs with 100,000 registrations, against ten.

Run it: `.venv/bin/python bench/routing_dest_wild.py`. It fails if a limit is missed; bench/routing.py
shows the same rows among those of the other classes.

What is compared is routing, not fan-out: on both sides of a row every message reaches the same number
of targets, which is asserted. Cold is `proxy.route`, with destinations made new for every round; warm
is what the publish path does with a destination seen before: it asks the ways the proxy remembers.
"""

from __future__ import annotations

import gc
import sys
from itertools import count, cycle
from typing import TYPE_CHECKING, Final

from table import ROUNDS, Row, print_table

from penstock.wiring.message import Message
from penstock.wiring.proxies.dest_wild import DestWild
from penstock.wiring.registration import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: Fewer than the ways a proxy remembers, so that the warm rows stay warm.
DESTINATIONS: Final = 2_000
MESSAGE: Final = Message(b"")

#: All three ask for "eu.orders.<anything>.paid", which is where every message of the first rows goes.
MET: Final = ("eu.orders.*.paid", "eu.#", "#.orders.*.paid")
#: These do not, but each leads the walk astray at another word, some to the very end.
NEAR: Final = (
    "eu.orders.n{0}.paid",
    "eu.*.n{0}.*",
    "eu.#.s{0}",
    "*.orders.n{0}.#",
    "#.n{0}.paid",
    "r{0}.orders.#",
    "*.*.*.s{0}",
    "eu.orders.*.s{0}",
    "#.orders.#.s{0}",
    "*.o{0}.#",
)
#: Each of these has a destination of its own, and everybody's destination is asked for by one of them.
OWN: Final = (
    ("a{0}.orders.paid", "a{0}.orders.paid"),
    ("b{0}.*.paid", "b{0}.orders.paid"),
    ("c{0}.#", "c{0}.orders.paid"),
    ("#.d{0}", "eu.orders.d{0}"),
)


class Queue(Target):
    """All a proxy needs to know of one."""

    __slots__ = ()
    detour = False


def registered(name: str, wanted: Iterable[tuple[int, str]]) -> DestWild:
    """So many queues under each pattern."""
    proxy = DestWild(name)
    for queues, pattern in wanted:
        for _ in range(queues):
            proxy.register(Queue(), pattern)
    return proxy


def near(patterns: int, registrations: int) -> list[tuple[int, str]]:
    """The three that are met by one queue each, and others that share the rest of the registrations."""
    others = [NEAR[i % len(NEAR)].format(i) for i in range(patterns - len(MET))]
    more, left = divmod(registrations - len(MET), len(others))
    return [(1, pattern) for pattern in MET] + [(more + (i < left), p) for i, p in enumerate(others)]


# Two ways to a target


def cold(proxy: DestWild, destinations: Iterable[list[str]]) -> Callable[[], int]:
    """Route to destinations never seen before; how many targets that reached."""
    lists = iter(destinations)

    def route() -> int:
        reached = 0
        for destination in next(lists):
            reached += len(proxy.route(MESSAGE, destination))
        return reached

    return route


def warm(proxy: DestWild, destinations: list[str]) -> Callable[[], int]:
    """Go the ways the proxy remembers; how many targets that reached."""
    ways = proxy.known_ways
    assert ways is not None
    for destination in destinations:
        proxy.route(MESSAGE, destination)

    def route() -> int:
        reached = 0
        for destination in destinations:
            targets = ways.get(destination)
            reached += len(proxy.route(MESSAGE, destination) if targets is None else targets)
        return reached

    return route


def fresh(numbers: Iterator[int]) -> Iterator[list[str]]:
    """Destinations for more rounds than there are, all different, made before anything is measured."""
    lists = [[f"eu.orders.{next(numbers)}.paid" for _ in range(DESTINATIONS)] for _ in range(ROUNDS + 5)]
    return iter(lists)


def row(name: str, base: Callable[[], int], other: Callable[[], int]) -> Row:
    assert base() == other() > 0, name
    return Row(name=name, base=base, other=other, operations=DESTINATIONS, limit=3)


# Rows


def dest_wild_rows() -> Iterator[Row]:
    few = registered("few", near(10, 10))
    many = registered("many", near(1_000, 100_000))
    assert (len(many.registrations), sum(len(r.targets) for r in many.registrations.values())) == (
        1_000,
        100_000,
    )
    name = "DEST-WILD, 100,000 of 1,000 patterns"
    numbers = count()
    yield row(f"{name}, cold", cold(few, fresh(numbers)), cold(many, fresh(numbers)))
    seen = next(fresh(numbers))
    yield row(f"{name}, warm", warm(few, seen), warm(many, seen))
    cheapest = registered("few", [(len(MET), "#"), *((1, f"x.{i}") for i in range(7))])
    yield row(f"{name}, cold, # and 7 literals", cold(cheapest, fresh(numbers)), cold(many, fresh(numbers)))
    yield all_met(f"{name}, cold, all met")
    many = registered("many", near(100_000, 100_000))
    yield row("DEST-WILD, 100,000 patterns, cold", cold(few, fresh(numbers)), cold(many, fresh(numbers)))


def all_met(name: str) -> Row:
    """Messages for all thousand patterns on the side that has them, for ten on the other."""
    few, many = ([OWN[i % len(OWN)] for i in range(patterns)] for patterns in (10, 1_000))
    ways = []
    for owns in (few, many):
        proxy = registered(name, [(100, pattern.format(i)) for i, (pattern, _) in enumerate(owns)])
        destinations = [owns[i % len(owns)][1].format(i % len(owns)) for i in range(DESTINATIONS)]
        ways.append(cold(proxy, cycle([destinations])))
    return row(name, *ways)


def main() -> int:
    # Making a million objects that stay is no time to look for those that can go.
    gc.disable()
    rows = list(dest_wild_rows())
    return 0 if print_table("One route(), ten registrations (base) and many (other)", rows) else 1


if __name__ == "__main__":
    sys.exit(main())
