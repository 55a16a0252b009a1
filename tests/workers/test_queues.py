from __future__ import annotations

import pytest

from penstock.errors import MessagingError
from penstock.messaging import Destination
from penstock.workers.queues import amqp_priority, buried_at, home_topology, queue_topology


def test_the_lowest_priority_goes_first_as_in_the_seed() -> None:
    assert [amqp_priority(each) for each in (0, 5, 9)] == [9, 4, 0]
    for wrong in (-1, 10):
        with pytest.raises(MessagingError, match="0, the most urgent, to 9"):
            amqp_priority(wrong)


def test_a_queue_of_jobs_has_priorities_and_a_home_for_its_dead_letters() -> None:
    (queue,) = queue_topology("bg_building").queues
    assert (queue.name, queue.durable) == ("bg_building", True)
    assert queue.arguments == {
        "x-max-priority": 9,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": "bg_building.dead-letters",
    }
    (without,) = queue_topology("bg_building", priorities=False).queues
    assert without.arguments.keys() == queue.arguments.keys() - {"x-max-priority"}
    (home,) = home_topology("bg_building").queues
    assert (home.name, home.arguments) == ("bg_building.dead-letters", {})
    assert buried_at("bg_building") == Destination.queue(home.name)
