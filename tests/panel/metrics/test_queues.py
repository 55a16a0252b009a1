"""What is told of queues: by name, and together."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.panel.metrics.queues import HISTOGRAMS, QUEUES, by_queue, together
from penstock.server.embedded import Embedded
from penstock.settings import Settings
from penstock.wiring import Message
from tests.panel.metrics.reading import read

if TYPE_CHECKING:
    from penstock.broker.host import VirtualHost


@pytest.fixture
def host() -> VirtualHost:
    """Two queues: of three messages in one the first two were handed out, and one of these is done."""

    async def make() -> VirtualHost:
        embedded = await Embedded.start(Settings(amqp=()), clock=VirtualClock(0.0))
        host = embedded.broker.hosts["/"]
        for name in ("a", "b"):
            host.create_queue(name, now=0.0)
        wiring = host.wiring
        wiring.publish("", [Message(b"", "a") for _ in range(3)], 0.0)
        wiring.deliver(0.0)
        ledger = wiring.connect("c").open_ledger()
        wiring.consume(ledger, wiring.queue("a"), "c", prefetch=2, now=5.0)
        wiring.deliver(5.0)
        ledger.ack(1)
        # Its place is taken by the third.
        wiring.deliver(7.0)
        await embedded.close()
        return host

    return asyncio.run(make())


def test_every_queue_tells_its_own(host: VirtualHost) -> None:
    told = read(by_queue([host], 8.0))
    names = {family.family.name for family in QUEUES}
    expected = {
        "rabbitmq_queue_messages_ready": 0,
        "rabbitmq_queue_messages_unacked": 2,
        "rabbitmq_queue_messages": 2,
        "rabbitmq_queue_consumers": 1,
        "rabbitmq_queue_messages_published_total": 3,
        "penstock_queue_messages_delivered_total": 3,
        "penstock_queue_messages_acked_total": 1,
        "penstock_queue_messages_redelivered_total": 0,
        "penstock_queue_messages_dead_total": 0,
        "penstock_queue_messages_delayed": 0,
        "penstock_queue_messages_buried": 0,
        "penstock_queue_oldest_message_age_seconds": 0,
    }
    assert {name: told[name, "/", "a"] for name in names} == expected
    assert all(told[name, "/", "b"] == 0 for name in names)


def test_the_oldest_that_waits_has_an_age(host: VirtualHost) -> None:
    host.wiring.publish("", [Message(b"", "b")], 10.0)
    host.wiring.deliver(10.0)
    name = "penstock_queue_oldest_message_age_seconds"
    assert read(by_queue([host], 70.0))[name, "/", "b"] == 60.0
    assert read(together([host], 70.0))[name,] == 60.0


def test_waits_and_handlings_are_histograms_of_queues_where_something_happened(host: VirtualHost) -> None:
    told = read(by_queue([host], 8.0))
    assert told["penstock_queue_wait_seconds_count", "/", "a"] == 3
    assert told["penstock_queue_wait_seconds_bucket", "/", "a", "10.0"] == 3
    assert told["penstock_queue_wait_seconds_bucket", "/", "a", "1.0"] == 0
    assert told["penstock_queue_wait_seconds_sum", "/", "a"] == 5.0 + 5.0 + 7.0
    # The second of the first two was looked at, and is in hand.
    assert ("penstock_queue_handling_seconds_count", "/", "a") not in told
    assert ("penstock_queue_wait_seconds_count", "/", "b") not in told


def test_together_is_the_sum_and_a_queue_that_is_gone_stays_in_it(host: VirtualHost) -> None:
    host.wiring.publish("", [Message(b"", "b")], 10.0)
    assert read(together([host], 10.0))["rabbitmq_queue_messages_published_total",] == 4
    host.wiring.destroy_queue(host.wiring.queue("b"))
    host.clear_away()
    told = read(together([host], 10.0))
    assert told["rabbitmq_queue_messages_published_total",] == 4
    assert told["rabbitmq_queue_messages",] == 2


def test_without_a_queue_everything_is_nought(host: VirtualHost) -> None:
    told = read(together([], 0.0))
    assert set(told.values()) == {0}
    assert {each.family.name for each in QUEUES} <= {key[0] for key in told}
    assert {f"{each.family.name}_count" for each in HISTOGRAMS} <= {key[0] for key in told}
