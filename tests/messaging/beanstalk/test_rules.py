from __future__ import annotations

from typing import Any

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.errors import NotPortable
from penstock.messaging import Topology
from penstock.messaging.beanstalk.rules import demand_tubes
from penstock.workers.queues import home_topology, queue_topology


def queue(name: str = "jobs", **arguments: Any) -> Topology:
    given = {name.replace("_", "-"): value for name, value in arguments.items()}
    return Topology(queues=(Queue(name, arguments=given),))


@pytest.mark.parametrize(
    ("topology", "told"),
    [
        (
            Topology(exchanges=(Exchange("bills", "topic"),)),
            "topic exchange bills: beanstalk has tubes and no",
        ),
        (Topology(bindings=(Binding("bills", "jobs", "#"),)), "binding of bills to jobs: beanstalk has no"),
        (queue("räume"), "queue räume: a tube's name is 1 to 200"),
        (Topology(queues=(Queue("mine", exclusive=True),)), "queue mine: a tube is everybody's"),
        (queue(x_max_length=5), "queue jobs: a tube has no limits"),
        (queue(x_message_ttl=5), "queue jobs: a tube has no limits"),
        (queue(x_queue_type="quorum"), "neither quorum queues nor streams"),
        (queue(x_dead_letter_exchange="graves"), "dead letters go to a tube by name"),
        (queue(x_dead_letter_exchange=""), "dead letters go to a tube by name"),
    ],
)
def test_what_beanstalk_cannot_is_refused_with_its_reason(topology: Topology, told: str) -> None:
    with pytest.raises(NotPortable, match=told):
        demand_tubes(topology)


def test_all_reasons_are_told_at_once() -> None:
    with pytest.raises(NotPortable, match=r"exchange a: .*; .*exchange b: "):
        demand_tubes(Topology(exchanges=(Exchange("a"), Exchange("b"))))


@pytest.mark.parametrize(
    "topology", [queue_topology("jobs"), home_topology("jobs"), queue(x_expires=5, x_queue_type="classic")]
)
def test_what_workers_need_is_there(topology: Topology) -> None:
    demand_tubes(topology)
