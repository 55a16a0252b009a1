"""The relay with a real broker, in this process; with servers it is in tests/cli and tests/faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from penstock.client import Binding, Exchange, Queue
from penstock.errors import PublishError, Unroutable
from penstock.messaging import Topology
from penstock.messaging.application import Application
from penstock.messaging.events import event
from penstock.messaging.opening import open_broker
from penstock.outbox import Outbox, Relay
from tests.outbox.helpers import TO, add, comes_true, rows, run

if TYPE_CHECKING:
    from sqlalchemy.engine import Engine

    from penstock.messaging.subscriptions.context import Context
    from tests.outbox.recording import RecordingAlerts


@event("ThreadCreated", version=2)
class ThreadCreated(msgspec.Struct):
    """Something to tell."""

    id: int


def test_a_relay_is_a_part_of_an_application(engine: Engine) -> None:
    app = Application("commons")  # with the real broker inside the process
    outbox = Outbox.of(app)
    outbox.metadata.create_all(engine)
    relay = Relay(outbox, engine)
    app.attach(relay)
    handled: list[tuple[ThreadCreated, str]] = []

    @app.consumer(ThreadCreated)
    async def notifications(created: ThreadCreated, context: Context) -> None:
        handled.append((created, context.message.id))

    async def story() -> None:
        async with app:
            with engine.begin() as connection:
                added = outbox.add(connection, ThreadCreated(id=7))
            await comes_true(lambda: handled)
            assert handled == [(ThreadCreated(id=7), added.id)]
            await comes_true(lambda: not relay.is_busy)
        assert not relay.is_busy

    run(story())
    assert rows(engine, outbox, "relayed", "type", "exchange", "key") == [
        (1, "ThreadCreated", "commons", "ThreadCreated")
    ]


def test_what_the_real_broker_refuses_waits(engine: Engine, outbox: Outbox, alerts: RecordingAlerts) -> None:
    add(engine, outbox, b"1")

    async def story() -> None:
        broker = await open_broker(None)
        relay = Relay(outbox, engine, broker, alerts=alerts)
        with pytest.raises(PublishError):
            await relay.drain()
        await broker.initialize(Topology(exchanges=(Exchange(TO.exchange, "topic"),), queues=(Queue("q"),)))
        with pytest.raises(Unroutable):
            await relay.drain()
        await broker.initialize(Topology(bindings=(Binding(TO.exchange, "q", "#"),)))
        assert await relay.drain() == 1
        received = await broker.fetch("q")
        assert received is not None
        assert (received.message.id, received.body, received.type) == ("1", b"1", "ThreadCreated")
        await relay.stop()
        await broker.close()

    run(story())
    assert rows(engine, outbox, "relayed", "attempts") == [(1, 0)]
