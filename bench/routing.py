"""Routing is flat: what one publish costs with many registrations, against ten.

Run it: `.venv/bin/python bench/routing.py`. It fails if a limit is missed.

What is compared is routing, `proxy.route(message, destination)`, not fan-out: on both sides of a row
every message reaches the same number of targets, which is asserted. No two messages are alike, and
each side gets its messages made anew, so nothing is measured out of somebody's memory of the last one.
"""

from __future__ import annotations

import gc
import sys
from random import Random
from typing import TYPE_CHECKING, Final

from routing_dest_wild import dest_wild_rows
from table import Row, print_table

from penstock.wiring.message import Message
from penstock.wiring.proxies.prop_test import PropTest
from penstock.wiring.proxies.selector import SelectorProxy
from penstock.wiring.registration import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from penstock.wiring.proxy import Proxy

MESSAGES: Final = 2_000


class Queue(Target):
    """All a proxy needs to know of one."""

    __slots__ = ()
    detour = False


def registered(proxy: Proxy, wanted: Iterable[tuple[int, Any]]) -> Proxy:
    """So many queues under each pattern."""
    for queues, pattern in wanted:
        for _ in range(queues):
            proxy.register(Queue(), pattern)
    return proxy


def routing(proxy: Proxy, messages: list[Message]) -> Callable[[], int]:
    """Route them all; how many targets that reached."""

    def route() -> int:
        reached = 0
        for message in messages:
            reached += len(proxy.route(message, message.destination))
        return reached

    return route


def row(name: str, few: Proxy, many: Proxy, properties: list[dict[str, Any]], limit: float | None) -> Row:
    base, other = (routing(proxy, [Message(b"", "", dict(p)) for p in properties]) for proxy in (few, many))
    assert base() == other(), name
    return Row(name=name, base=base, other=other, operations=len(properties), limit=limit)


# PROP-TEST


def pair(i: int) -> dict[str, Any]:
    """One of a thousand pairs of values, and each next thousand under a third condition of its own."""
    level = i // 1000
    return {"region": f"r{i % 50}", "kind": f"k{i // 50 % 20}"} | ({"level": level} if level else {})


def letters(count: int, among: int) -> list[dict[str, Any]]:
    """Properties of messages: one of the first `among` pairs, or nearly, and much that nobody asks for."""
    chance = Random(1)
    return [
        {"id": f"m{i}", "weight": chance.random(), "sender": f"s{i % 97}", "level": -1}
        | pair(chance.randrange(among))
        | ({"kind": "nobody's"} if i % 4 == 0 else {})
        for i in range(count)
    ]


def prop_test_rows() -> Iterator[Row]:
    ten = [(1, pair(i)) for i in range(10)]
    few = registered(PropTest("few"), ten)
    many = registered(PropTest("many"), ten + [(101, pair(i)) for i in range(10, 1000)])
    name = "PROP-TEST, 100,000 registrations of 1,000 patterns"
    yield row(name, few, many, letters(MESSAGES, 10), 3)
    few = registered(PropTest("few"), [(100, pair(i)) for i in range(10)])
    many = registered(PropTest("many"), [(100, pair(i)) for i in range(1000)])
    yield spread(f"{name}, all met", few, many)
    many = registered(PropTest("many"), ten + [(1, pair(i)) for i in range(10, 100_000)])
    few = registered(PropTest("few"), ten)
    yield row("PROP-TEST, 100,000 distinct patterns", few, many, letters(MESSAGES, 10), 3)
    anyone = [(1, pair(i) | {"x-match": "any", "kind": f"none{i}"}) for i in range(50)]
    few = registered(PropTest("few"), anyone[:10])
    many = registered(
        PropTest("many"),
        anyone[:10] + [(1, {"x-match": "any", "id": f"x{i}", "z": i}) for i in range(50_000)],
    )
    yield row("PROP-TEST, 50,000 patterns of mode any", few, many, letters(MESSAGES, 10), 3)


def spread(name: str, few: Proxy, many: Proxy) -> Row:
    """Messages for all thousand patterns on the side that has them, for ten on the other."""
    base = routing(few, [Message(b"", "", p) for p in letters(MESSAGES, 10)])
    other = routing(many, [Message(b"", "", p) for p in letters(MESSAGES, 1000)])
    assert base() == other(), name
    return Row(name=name, base=base, other=other, operations=MESSAGES, limit=3)


# SELECTOR


def parcels(count: int, regions: int) -> list[dict[str, Any]]:
    chance = Random(2)
    return [
        {
            "id": f"m{i}",
            "region": f"r{chance.randrange(regions)}",
            "kind": "parcel",
            "weight": chance.random(),
            "name": f"n0-{i}",
        }
        for i in range(count)
    ]


def selector_row(name: str, residual: str, per_region: int, limit: float | None) -> Row:
    """10,000 statements: each region has `per_region` that differ in the residual's number."""
    regions = 10_000 // per_region
    statements = [
        f"region = 'r{i % regions}' AND kind = 'parcel' AND " + residual.format(i // regions)
        for i in range(10_000)
    ]
    few = registered(SelectorProxy("few"), [(1, statement) for statement in statements[:10]])
    many = registered(SelectorProxy("many"), [(1, statement) for statement in statements])
    return row(name, few, many, parcels(MESSAGES, 10), limit)


def selector_rows() -> Iterator[Row]:
    yield selector_row("SELECTOR, 10,000, 10 an equality, LIKE", "name LIKE 'n{0}-%'", 10, 10)
    yield selector_row("SELECTOR, 10,000, 100 an equality, >", "weight >= {0}", 100, 10)
    yield selector_row("SELECTOR, 10,000, 1,000 an equality, >", "weight >= {0}", 1000, 10)
    yield selector_row(
        "SELECTOR, 10,000, 1,000 an equality, BETWEEN", "weight BETWEEN {0} AND {0}.99999", 1000, 10
    )
    yield selector_row(
        "SELECTOR, 10,000, 100 an equality, LIKE: all evaluated", "name LIKE 'n{0}-%'", 100, None
    )


def main() -> int:
    # Making a million objects that stay is no time to look for those that can go.
    gc.disable()
    rows = [*dest_wild_rows(), *prop_test_rows(), *selector_rows()]
    return 0 if print_table("One route(), ten registrations (base) and many (other)", rows) else 1


if __name__ == "__main__":
    sys.exit(main())
