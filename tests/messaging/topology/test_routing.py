from __future__ import annotations

import pytest

from penstock.messaging.topology.routing import key_fits, reached
from penstock.messaging.topology.written import parse

WIRED = parse("""
bindings = [
    "topics[a.#, *.b] -> q1",
    "topics[c] -> more",
    "more -> q2",
    "more -> topics",
    "straight[a] -> q1",
    "heads -> q2",
    "amq.direct[a] -> q2",
]
[exchanges.topics]
[exchanges.more]
type = "fanout"
[exchanges.straight]
type = "direct"
[exchanges.heads]
type = "headers"
[queues.q1]
[queues.q2]
""")


@pytest.mark.parametrize(
    ("exchange", "key", "expected"),
    [
        ("topics", "a.x.y", ["q1"]),
        ("topics", "a.b", ["q1"]),
        ("topics", "b", []),
        ("topics", "c", ["q2"]),
        ("more", "a", ["q2", "q1"]),
        ("straight", "a", ["q1"]),
        ("straight", "a.b", []),
        ("heads", "whatever", ["q2"]),
        ("amq.direct", "b", []),
        ("amq.direct", "a", ["q2"]),
        ("", "q1", ["q1"]),
        ("", "q3", []),
        ("nowhere", "a", []),
    ],
)
def test_where_a_message_goes(exchange: str, key: str, expected: list[str]) -> None:
    assert reached(WIRED, exchange, key) == expected


@pytest.mark.parametrize(
    ("pattern", "key", "expected"),
    [
        ("#", "", True),
        ("#", "a.b", True),
        ("a.*", "a.b", True),
        ("a.*", "a", False),
        ("a.#", "a", True),
        ("a.#.c", "a.b.b.c", True),
        ("a*", "ab", False),
        ("a", "a", True),
    ],
)
def test_topics(pattern: str, key: str, *, expected: bool) -> None:
    assert key_fits(pattern, key) is expected
