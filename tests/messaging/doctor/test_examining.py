from __future__ import annotations

import asyncio
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import Binding, Exchange, Queue, ServerInfo, connect
from penstock.errors import BrokerRefused, NotPortable
from penstock.messaging.doctor import RULES, Severity, demand_portable, examine, examine_broker, examine_plan
from penstock.messaging.opening import open_broker
from penstock.messaging.topology import Subscription, Topology
from penstock.messaging.topology.deriving import Consuming, derive
from penstock.messaging.topology.live import Live, LiveQueue
from penstock.messaging.topology.plan import make_plan

if TYPE_CHECKING:
    from tests.servers.running import Running

NOTE, RISK, REFUSED = Severity.NOTE, Severity.RISK, Severity.REFUSED


def queue(*, durable: bool = True, **arguments: Any) -> Topology:
    given = {f"x-{name.replace('_', '-')}": value for name, value in arguments.items()}
    return Topology(queues=(Queue("q", durable=durable, arguments=given),))


def exchange(kind: str, **arguments: Any) -> Topology:
    given = {f"x-{name.replace('_', '-')}": value for name, value in arguments.items()}
    return Topology(exchanges=(Exchange("x", kind, arguments=given),))


QUORUM: Any = {"queue_type": "quorum"}
HOME: Any = {"dead_letter_exchange": ""}
SAFE: Any = {"dead_letter_strategy": "at-least-once", "overflow": "reject-publish"}

# What an application has, on which version of RabbitMQ, and how bad it is; None is no word about it.
CASES: list[tuple[str, Topology, tuple[int, ...], Severity | None]] = [
    ("quorum-of-few", queue(durable=False, **QUORUM), (3, 10), REFUSED),
    ("quorum-of-few", queue(**QUORUM), (3, 10), None),
    ("delivery-limit-of-classic", queue(delivery_limit=3), (3, 10), REFUSED),
    ("delivery-limit-of-classic", queue(delivery_limit=3, **QUORUM), (3, 10), None),
    ("strategy-of-classic", queue(dead_letter_strategy="at-least-once"), (3, 10), REFUSED),
    ("stream", queue(queue_type="stream"), (3, 10), REFUSED),
    ("delays", Topology(subscriptions=(Subscription(name="s", queue="q"),)), (4, 3), NOTE),
    ("delays", Topology(), (4, 3), None),
    ("exchange-type", exchange("x-selector"), (4, 3), REFUSED),
    ("exchange-type", exchange("x-prop-wild"), (3, 10), REFUSED),
    ("exchange-type", exchange("x-lossy"), (3, 10), REFUSED),
    ("exchange-type", exchange("headers"), (3, 10), None),
    (
        "selector-of-a-binding",
        Topology(bindings=(Binding("x", "q", "", {"x-filter-jms-selector": "a = 1"}),)),
        (3, 10),
        REFUSED,
    ),
    ("delayed-exchange", exchange("x-delayed-message", delayed_type="direct"), (3, 13), REFUSED),
    ("delayed-exchange", exchange("x-delayed-message", delayed_type="direct"), (4, 3), REFUSED),
    ("queue-mode", queue(queue_mode="lazy"), (3, 10), None),
    ("queue-mode", queue(queue_mode="lazy"), (4, 2), RISK),
    ("queue-mode", queue(queue_mode="default"), (4, 3), REFUSED),
    ("transient-queue", queue(durable=False), (4, 2), RISK),
    ("transient-queue", queue(durable=False), (4, 3), REFUSED),
    ("transient-queue", Topology(queues=(Queue("q", durable=False, exclusive=True),)), (4, 3), None),
    ("priority-of-quorum", queue(max_priority=5, **QUORUM), (3, 13), REFUSED),
    ("priority-of-quorum", queue(max_priority=5, **QUORUM), (4, 0), RISK),
    ("priority-of-quorum", queue(max_priority=5), (3, 13), None),
    ("safe-dead-letters", queue(**QUORUM, **SAFE), (4, 0), RISK),
    ("safe-dead-letters", queue(**QUORUM, **SAFE, **HOME), (4, 0), None),
    ("no-home-for-dead-letters", queue(**QUORUM), (4, 0), RISK),
    ("no-home-for-dead-letters", queue(**QUORUM), (3, 13), None),
    ("no-home-for-dead-letters", queue(**QUORUM, **HOME), (4, 0), None),
    ("no-home-for-dead-letters", queue(**QUORUM, delivery_limit=-1), (4, 0), None),
    ("poison", queue(**HOME), (4, 3), NOTE),
    ("poison", queue(**HOME, **QUORUM), (4, 3), None),
    ("put-back", queue(**QUORUM, delivery_limit=5), (4, 2), NOTE),
    ("put-back", queue(**QUORUM, delivery_limit=5), (4, 3), None),
    ("consumer-timeout", queue(consumer_timeout=5), (3, 11), RISK),
    ("consumer-timeout", queue(consumer_timeout=5), (3, 12), None),
    ("consumer-timeout", queue(consumer_timeout=5), (4, 3), RISK),
    ("consumer-timeout", queue(consumer_timeout=5, **QUORUM), (4, 3), None),
    ("penstock-argument", queue(max_consumers=5), (4, 3), RISK),
    ("nobody-listens", derive("app", [], published=["E"]), (4, 3), NOTE),
    ("nobody-listens", derive("app", [Consuming(name="c", events=("E",))]), (4, 3), None),
]


@pytest.mark.parametrize(("name", "topology", "version", "expected"), CASES)
def test_what_a_version_of_rabbitmq_makes_of_it(
    name: str, topology: Topology, version: tuple[int, ...], expected: Severity | None
) -> None:
    texts = {rule.text for rule in RULES if rule.name == name}
    found = [each for each in examine(topology, ServerInfo("RabbitMQ", version)) if each.text in texts]
    assert [each.severity for each in found] == ([] if expected is None else [expected])


def test_what_cannot_run_is_refused_before_it_is_tried() -> None:
    server = ServerInfo("RabbitMQ", (4, 3))
    demand_portable(queue(), server)
    with pytest.raises(
        NotPortable, match=r"x-lossy exchange x: only Penstock has this type.*; queue q: 4\.3 d"
    ):
        demand_portable(exchange("x-lossy") + queue(durable=False), server)


def test_every_rule_has_a_case() -> None:
    assert {rule.name for rule in RULES} == {name for name, *_ in CASES}


def test_penstock_has_what_it_has() -> None:
    for topology in (exchange("x-lossy"), queue(durable=False), queue(max_consumers=3), queue(**HOME)):
        assert list(examine(topology, ServerInfo("Penstock", (0, 1)))) == []


# The broker itself

ABLE = frozenset({"publisher_confirms", "basic.nack", "consumer_cancel_notify"})


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        (ServerInfo("RabbitMQ", (3, 10), ABLE), []),
        (ServerInfo("RabbitMQ", (4, 3, 5), ABLE), []),
        (ServerInfo("Penstock", (0, 1), ABLE), []),
        (ServerInfo("RabbitMQ", (3, 9, 29), ABLE), [REFUSED]),
        (ServerInfo("RabbitMQ", (4, 4), ABLE), [NOTE]),
        (ServerInfo("LavinMQ", (2, 9), ABLE), [NOTE]),
        (ServerInfo("", (), ABLE), [NOTE]),
        (ServerInfo("RabbitMQ", (4, 0), ABLE - {"basic.nack"}), [REFUSED]),
    ],
)
def test_whether_anything_can_run_there(server: ServerInfo, expected: list[Severity]) -> None:
    assert [found.severity for found in examine_broker(server)] == expected


def test_what_is_missing_is_named() -> None:
    (found,) = examine_broker(ServerInfo("RabbitMQ", (4, 0), ABLE - {"basic.nack"}))
    assert str(found) == "RabbitMQ 4.0: it has no basic.nack: without it a message cannot be put back"


def test_conflicts_with_what_is_there_are_found() -> None:
    live = Live(queues={"q": LiveQueue(name="q", declared=Queue("q", durable=False))})
    (found,) = examine_plan(make_plan(queue(), live))
    assert found.severity is REFUSED
    assert str(found).startswith("queue q: it is there, but not like that: durable is False there and True")


# Does it tell the truth?

TRIED = [
    *(case[1] for case in CASES if case[1].queues and case[0] != "stream" and not case[1].subscriptions),
    *(case[1] for case in CASES if case[1].exchanges and not case[1].publications),
]


@pytest.mark.parametrize("topology", TRIED)
def test_a_real_broker_refuses_what_is_said_to_be_refused_and_nothing_else(
    broker: Running, topology: Topology
) -> None:
    name = f"doctor-{uuid.uuid4().hex[:8]}"
    things: list[Exchange | Queue] = [
        *(replace(each, name=name) for each in topology.exchanges),
        *(replace(each, name=name) for each in topology.queues),
    ]

    async def refused() -> tuple[bool, ServerInfo]:
        async with await connect(broker.url) as client:
            server = client.server
            try:
                await client.declare(*things)
            except BrokerRefused:
                return True, server
            return False, server

    is_refused, server = asyncio.run(refused())
    assert any(found.severity is REFUSED for found in examine(topology, server)) is is_refused


def test_an_application_is_told_when_it_starts(broker: Running) -> None:
    lossy = Topology(exchanges=(Exchange(f"doctor-{uuid.uuid4().hex[:8]}", "x-lossy"),))

    async def start() -> None:
        opened = await open_broker(broker.url)
        try:
            await opened.initialize(lossy)
        finally:
            await opened.close()

    if broker.name == "penstock":
        asyncio.run(start())
    else:
        with pytest.raises(NotPortable, match="only Penstock has this type"):
            asyncio.run(start())
