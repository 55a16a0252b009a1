"""Events become messages again."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from penstock.pipelines.event_log.events import MESSAGE_COLUMNS
from penstock.pipelines.replay.outgoing import outgoing
from tests.pipelines.event_log.rows import NOON, message


def event(**more: Any) -> dict[str, Any]:
    made = message(1, **more)
    return {name: made.get(name) for name in MESSAGE_COLUMNS}


def test_a_message_is_as_it_was_and_says_that_it_is_replayed() -> None:
    headers = {"tenant": "eu", "x-death": [{"count": 1}], "x-delay": 5}
    [found] = outgoing([event(priority=3, correlation_id="c", headers=headers)])
    assert (found.exchange, found.routing_key, found.body) == ("shop", "orders.1", b'{"id": 1, "total": 1}')
    properties = found.properties.as_dict()
    assert properties["headers"] == {"tenant": "eu", "x-penstock-replayed": 1}
    assert (properties["message_id"], properties["type"], properties["priority"]) == ("m1", "OrderPlaced", 3)
    assert (properties["correlation_id"], properties["delivery_mode"]) == ("c", 2)
    assert properties["timestamp"] == NOON + timedelta(minutes=1)


@pytest.mark.parametrize("queue", [None, "shop.mailer"])
def test_one_consumer_can_be_meant(queue: str | None) -> None:
    [found] = outgoing([event()], queue)
    assert (found.exchange, found.routing_key) == (("", queue) if queue else ("shop", "orders.1"))


def test_nothing_is_nothing() -> None:
    assert outgoing([]) == []
