from __future__ import annotations

from typing import Any

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.messaging.doctor.finding import Severity
from penstock.messaging.doctor.rule import Rule, bindings, exchanges, is_unsafe, queues, unheard
from penstock.messaging.topology import Topology
from penstock.messaging.topology.deriving import Consuming, derive


def rule(**how: Any) -> Rule:
    return Rule(name="r", severity=Severity.NOTE, finds=lambda _: [], text="", **how)


@pytest.mark.parametrize(
    ("how", "product", "version", "expected"),
    [
        ({}, "Whatever", (), True),
        ({"product": "RabbitMQ"}, "RabbitMQ", (3, 10, 8), True),
        ({"product": "RabbitMQ"}, "Penstock", (3, 10, 8), False),
        ({"since": (4, 3)}, "RabbitMQ", (4, 2, 9), False),
        ({"since": (4, 3)}, "RabbitMQ", (4, 3, 0), True),
        ({"until": (4, 3)}, "RabbitMQ", (4, 2, 9), True),
        ({"until": (4, 3)}, "RabbitMQ", (4, 3, 0), False),
    ],
)
def test_a_rule_holds_for_versions_of_a_product(
    how: dict[str, Any], product: str, version: tuple[int, ...], *, expected: bool
) -> None:
    assert rule(**how).holds_on(product, version) is expected


TOPOLOGY = Topology(
    exchanges=(Exchange("a", "topic"), Exchange("b", "fanout")),
    queues=(Queue("q", arguments={"x": 1}), Queue("r")),
    bindings=(Binding("a", "q"), Binding("b", "r")),
)


def test_subjects_are_named() -> None:
    assert list(queues(lambda _, given: "x" in given)(TOPOLOGY)) == ["queue q"]
    assert list(exchanges(lambda exchange: exchange.type == "fanout")(TOPOLOGY)) == ["fanout exchange b"]
    assert list(bindings(lambda binding: binding.target == "r")(TOPOLOGY)) == ["binding of b to r"]


def test_publications_that_nobody_takes() -> None:
    consumers = [
        Consuming(name="n", events=("A", "B"), overrides={"A": "A.contest.#", "B": None}),
    ]
    topology = derive("app", consumers, published=["C"])
    assert list(unheard(topology)) == ["publication C", "publication B"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, False),
        ({"x-dead-letter-strategy": "at-least-once"}, True),
        ({"x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish"}, True),
        (
            {
                "x-dead-letter-strategy": "at-least-once",
                "x-overflow": "reject-publish",
                "x-dead-letter-exchange": "",
            },
            False,
        ),
    ],
)
def test_what_safe_dead_lettering_needs(arguments: dict[str, Any], *, expected: bool) -> None:
    assert is_unsafe(arguments) is expected
