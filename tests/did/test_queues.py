from __future__ import annotations

import pytest

from penstock.did.queues import HANDLED, DomainQueues
from penstock.messaging import Destination


def test_a_domain_has_the_seeds_eight_queues_and_its_dead_letters() -> None:
    topology = DomainQueues().topology({"x-queue-type": "quorum"})
    assert {queue.name for queue in topology.queues} == {
        "orb.activity.outbox",
        "orb.activity.inbox",
        "orb.operation",
        "orb.anchor_linkset",
        "orb.anchor",
        "orb.did",
        "orb.redelivery",
        "orb.wait",
        "orb.dead-letters",
    }
    assert all(queue.arguments["x-queue-type"] == "quorum" for queue in topology.queues)


def test_what_is_rejected_in_a_handlers_queue_is_redelivered() -> None:
    queues = DomainQueues()
    homes = {each.name: each.arguments.get("x-dead-letter-exchange") for each in queues.topology().queues}
    assert {homes[queues.named(what)] for what in HANDLED} == {"orb.redelivery"}


def test_a_message_for_a_queue_goes_to_the_domains_exchange() -> None:
    queues = DomainQueues()
    assert queues.destination(queues.operation) == Destination("orb", "orb.operation")
    bindings = {(each.source, each.routing_key) for each in queues.topology().bindings}
    assert all(("orb", queues.named(what)) in bindings for what in HANDLED)


def test_domains_that_share_a_broker_share_no_queue() -> None:
    mine, yours = (DomainQueues(name).topology().queues for name in ("orb", "orb2"))
    assert not {each.name for each in mine} & {each.name for each in yours}


def test_a_queue_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no queue for gossip"):
        DomainQueues().named("gossip")
