from __future__ import annotations

from typing import Any

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.errors import TopologyError
from penstock.messaging.topology.deriving import Consuming, Home, dead_letter_queue, derive

HOME: Any = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "commons.dead-letters"}
NOTIFICATIONS = Consuming(name="notifications", events=("ThreadCreated", "ThreadDeleted"))


def test_a_consumer_has_a_queue_bound_once_for_each_event() -> None:
    topology = derive("commons", [NOTIFICATIONS])
    assert topology.exchanges == (Exchange("commons", "topic"),)
    assert topology.queues == (
        Queue("commons.dead-letters"),
        Queue("commons.notifications", arguments=HOME),
    )
    assert topology.bindings == (
        Binding("commons", "commons.notifications", "ThreadCreated"),
        Binding("commons", "commons.notifications", "ThreadDeleted"),
    )


def test_names_are_given_to_ways_out_and_in() -> None:
    topology = derive("commons", [NOTIFICATIONS], published=["UserBanned", "ThreadCreated"])
    assert [way.name for way in topology.publications] == ["UserBanned", "ThreadCreated", "ThreadDeleted"]
    assert (topology.publication("UserBanned").exchange, topology.publication("UserBanned").key) == (
        "commons",
        "UserBanned",
    )
    assert topology.subscription("notifications").queue == "commons.notifications"


def keys(**overrides: str | None) -> list[str]:
    consumer = Consuming(name="n", events=NOTIFICATIONS.events, overrides=overrides)
    return [binding.routing_key for binding in derive("commons", [consumer]).bindings]


def test_an_override_replaces_a_key_or_drops_it() -> None:
    assert keys(ThreadCreated="ThreadCreated.contest.#") == ["ThreadCreated.contest.#", "ThreadDeleted"]
    assert keys(ThreadCreated=None) == ["ThreadDeleted"]
    assert keys(ThreadCreated="Thread*", ThreadDeleted="Thread*") == ["Thread*"]


def test_an_override_for_nothing_is_a_mistake() -> None:
    with pytest.raises(TopologyError, match="consumer n has overrides for ThreadMoved, which it does not"):
        keys(ThreadMoved="x")


def test_a_queue_may_have_a_name_and_arguments_of_its_own() -> None:
    consumer = Consuming(name="n", events=("E",), queue="orb.operation", arguments={"x-max-length": 5})
    topology = derive("orb", [consumer], exchange="everything", arguments={"x-queue-type": "classic"})
    assert topology.exchanges[0].name == "everything"
    queue = topology.queues[1]
    assert queue.name == "orb.operation"
    assert queue.arguments.items() >= {"x-max-length": 5, "x-queue-type": "classic"}.items()
    assert topology.queues[0].arguments == {"x-queue-type": "classic"}


def test_dead_letters_may_have_another_home_which_is_not_declared_here() -> None:
    topology = derive("orb", [NOTIFICATIONS], home=Home(exchange="orb.redelivery", key="k"))
    assert [queue.name for queue in topology.queues] == ["orb.notifications"]
    assert topology.queues[0].arguments == {
        "x-dead-letter-exchange": "orb.redelivery",
        "x-dead-letter-routing-key": "k",
    }
    assert dead_letter_queue("orb") == "orb.dead-letters"


@pytest.mark.parametrize(
    ("given", "strategy", "overflow"),
    [
        ({"x-queue-type": "quorum"}, "at-least-once", "reject-publish"),
        ({"x-queue-type": "quorum", "x-overflow": "drop-head"}, "at-least-once", "drop-head"),
        ({}, None, None),
    ],
)
def test_a_quorum_queue_hands_its_dead_letters_over_safely(
    given: dict[str, Any], strategy: str | None, overflow: str | None
) -> None:
    arguments = derive("commons", [NOTIFICATIONS], arguments=given).queues[1].arguments
    assert arguments.get("x-dead-letter-strategy") == strategy
    assert arguments.get("x-overflow") == overflow


def test_a_quorum_queue_of_dead_letters_drops_nothing() -> None:
    topology = derive("commons", [], arguments={"x-queue-type": "quorum"})
    assert topology.queues[0].arguments == {"x-queue-type": "quorum", "x-delivery-limit": 1_000_000}


def test_two_consumers_may_share_a_queue_but_not_want_different_ones() -> None:
    first = Consuming(name="a", events=("A",), queue="q")
    topology = derive("commons", [first, Consuming(name="b", events=("B",), queue="q")])
    assert [binding.routing_key for binding in topology.bindings] == ["A", "B"]
    other = Consuming(name="b", events=("B",), queue="q", arguments={"x-max-length": 1})
    with pytest.raises(TopologyError, match="queue 'q' is declared twice"):
        derive("commons", [first, other])
