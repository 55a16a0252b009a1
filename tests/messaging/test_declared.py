from __future__ import annotations

import msgspec
import pytest

from penstock.errors import MessagingError
from penstock.messaging.declared import Declared
from penstock.messaging.events import event
from penstock.messaging.settings import MessagingSettings


@event("ThreadCreated")
class ThreadCreated(msgspec.Struct):
    title: str


def declared(**settings: str) -> Declared:
    return Declared("commons", MessagingSettings(**settings))  # type: ignore[arg-type]


def test_the_topology_is_that_of_the_consumers() -> None:
    app = declared(mq_queue_type="quorum")
    app.consumer(ThreadCreated, name="notifications", arguments={"x-max-priority": 5})(print)
    topology = app.topology()
    assert [each.name for each in topology.exchanges] == ["commons"]
    assert [each.name for each in topology.queues] == ["commons.dead-letters", "commons.notifications"]
    assert topology.queues[1].arguments == {
        "x-queue-type": "quorum",
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": "commons.dead-letters",
        "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
        "x-max-priority": 5,
    }
    assert [(each.source, each.target, each.routing_key) for each in topology.bindings] == [
        ("commons", "commons.notifications", "ThreadCreated")
    ]


def test_a_consumer_is_named_after_its_handler_and_known_once() -> None:
    app = declared()

    @app.consumer(ThreadCreated)
    async def notifications(_: ThreadCreated) -> None: ...

    @app.batch_consumer(ThreadCreated, size=7, wait=0.5)
    async def digest(_: list[object]) -> None: ...

    assert [each.name for each in app.declarations] == ["notifications", "digest"]
    assert app.declarations[1].batching is not None
    assert app.declarations[1].batching.size == 7
    with pytest.raises(MessagingError, match="commons has a consumer notifications already"):
        app.consumer(ThreadCreated)(notifications)


def test_with_a_queue_for_redelivery_every_queue_has_its_home_there() -> None:
    app = declared(mq_redelivery="queue")
    app.consumer(ThreadCreated, name="notifications")(print)
    topology = app.topology()
    by_name = {each.name: each.arguments for each in topology.queues}
    assert set(by_name) == {
        "commons.notifications",
        "commons.redelivery",
        "commons.wait",
        "commons.dead-letters",
    }
    assert by_name["commons.notifications"] == {
        "x-dead-letter-exchange": "commons.redelivery",
        "x-dead-letter-routing-key": "commons.redelivery",
    }
    assert declared().redelivery is None
