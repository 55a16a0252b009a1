from __future__ import annotations

from penstock.client import Binding
from penstock.messaging.redelivery import RedeliveryNames, redelivery_topology

HOME = {"x-dead-letter-exchange": "orb.redelivery", "x-dead-letter-routing-key": "orb.redelivery"}


def test_the_seeds_queues_by_the_seeds_names() -> None:
    topology = redelivery_topology(["orb.operation", "orb.anchor"])
    assert {each.name: each.type for each in topology.exchanges} == {
        "orb": "direct",
        "orb.redelivery": "direct",
        "orb.wait": "direct",
    }
    assert {queue.name: queue.arguments for queue in topology.queues} == {
        "orb.operation": HOME,
        "orb.anchor": HOME,
        # Nothing leaves the redelivery queue but by its handler.
        "orb.redelivery": {},
        "orb.wait": {**HOME, "x-message-ttl": 0},
        "orb.dead-letters": {},
    }
    assert all(each.durable for each in topology.exchanges)
    assert all(each.durable for each in topology.queues)
    assert set(topology.bindings) == {
        Binding("orb", "orb.operation", "orb.operation"),
        Binding("orb", "orb.anchor", "orb.anchor"),
        Binding("orb.redelivery", "orb.redelivery", "orb.redelivery"),
        Binding("orb.wait", "orb.wait", "orb.wait"),
    }


def test_quorum_queues_hand_their_dead_letters_on_for_certain() -> None:
    topology = redelivery_topology(["orb.anchor"], arguments={"x-queue-type": "quorum"})
    by_name = {queue.name: queue.arguments for queue in topology.queues}
    safe = {"x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish"}
    assert by_name["orb.anchor"] == {**HOME, **safe, "x-queue-type": "quorum"}
    assert by_name["orb.redelivery"] == {"x-queue-type": "quorum", "x-delivery-limit": 1_000_000}


def test_an_application_that_has_an_exchange_keeps_it() -> None:
    topology = redelivery_topology()
    assert {each.name for each in topology.exchanges} == {"orb.redelivery", "orb.wait"}


def test_another_domain_has_other_names() -> None:
    names = RedeliveryNames("shop")
    assert (names.redelivery, names.wait, names.dead_letters) == (
        "shop.redelivery",
        "shop.wait",
        "shop.dead-letters",
    )
    assert names.home.exchange == "shop.redelivery"
