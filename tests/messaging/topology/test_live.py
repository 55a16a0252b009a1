from __future__ import annotations

from typing import Any

import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.messaging.topology.live import LiveQueue, from_definitions, is_built_in

# As RabbitMQ's management API tells it; the second queue was made just now, and is not counted yet.
FOUND: dict[str, list[dict[str, Any]]] = {
    "queues": [
        {
            "name": "q",
            "durable": True,
            "auto_delete": False,
            "exclusive": False,
            "arguments": {"x-max-length": 5},
            "messages": 3,
            "consumers": 1,
        },
        {"name": "new", "durable": False, "auto_delete": True, "arguments": {}},
        {"name": "mine", "durable": False, "auto_delete": False, "exclusive": True, "arguments": {}},
    ],
    "exchanges": [
        {"name": "", "type": "direct", "durable": True, "auto_delete": False, "arguments": {}},
        {"name": "amq.topic", "type": "topic", "durable": True, "auto_delete": False, "arguments": {}},
        {
            "name": "x",
            "type": "topic",
            "durable": True,
            "auto_delete": False,
            "internal": True,
            "arguments": {"alternate-exchange": "y"},
        },
    ],
    "bindings": [
        {
            "source": "",
            "destination": "q",
            "destination_type": "queue",
            "routing_key": "q",
            "arguments": {},
        },
        {
            "source": "x",
            "destination": "q",
            "destination_type": "queue",
            "routing_key": "a",
            "arguments": {"b": 1},
        },
        {"source": "x", "destination": "y", "destination_type": "exchange", "routing_key": "c"},
    ],
}


def test_definitions_are_read() -> None:
    live = from_definitions(FOUND)
    assert live.queues == {
        "q": LiveQueue(name="q", declared=Queue("q", arguments={"x-max-length": 5}), messages=3, consumers=1),
        "new": LiveQueue(name="new", declared=Queue("new", durable=False, auto_delete=True)),
    }
    assert live.exchanges == {
        "x": Exchange("x", "topic", internal=True, arguments={"alternate-exchange": "y"})
    }
    assert live.bindings == (Binding("x", "q", "a", {"b": 1}), Binding("x", "y", "c", to_exchange=True))
    assert not live.unseen


@pytest.mark.parametrize(("name", "expected"), [("", True), ("amq.direct", True), ("amqp", False)])
def test_some_exchanges_are_everywhere(name: str, *, expected: bool) -> None:
    assert is_built_in(name) is expected
