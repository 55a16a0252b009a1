"""The client in a thread of its own, with real brokers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from penstock.client import Binding, Exchange, Outgoing, Queue, QueueState
from penstock.client.sync import connect
from penstock.errors import BadUrl, NotConnected, Unroutable
from penstock.wire.amqp import BasicProperties
from tests.client.support import HASTY, to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.client.sync import SyncClient
    from tests.servers.running import Running


@pytest.fixture
def client(broker: Running) -> Iterator[SyncClient]:
    with connect(broker.url, settings=HASTY) as client:
        yield client


def test_a_script_declares_publishes_gets_and_cleans_up(client: SyncClient, name: str) -> None:
    things = (Exchange(name, "fanout"), Queue(name), Binding(name, name))
    client.declare(*things)
    client.publish(Outgoing(name, "", b"one"))
    assert client.publish_many([to(name, b"two"), to(name, b"three")]) == [None, None]
    assert client.queue_state(name) == QueueState(3, 0)
    delivery = client.get(name)
    assert delivery is not None
    assert (delivery.body, delivery.queue, delivery.exchange) == (b"one", name, name)
    delivery.ack()
    assert client.purge(name) == 2
    assert client.get(name) is None
    client.withdraw(*things)
    assert client.queue_state(name) is None


def test_a_loop_over_deliveries_ends_with_close_and_the_rest_goes_back(client: SyncClient, name: str) -> None:
    client.declare(Queue(name))
    client.publish_many([to(name, b"%d" % number) for number in range(5)])
    bodies = []
    deliveries = client.consume(name, prefetch=2)
    for delivery in deliveries:
        bodies.append(delivery.body)
        if delivery.body == b"2":
            delivery.nack(requeue=False)
            break
        delivery.ack()
    deliveries.close()
    deliveries.close()
    assert bodies == [b"0", b"1", b"2"]
    assert list(deliveries) == []
    rest = [found for _ in range(2) if (found := client.get(name)) is not None]
    assert sorted(found.body for found in rest) == [b"3", b"4"]
    for left in rest:
        left.reject()
    assert deliveries.maybe_next(timeout=0.01) is None
    client.withdraw(Queue(name))


def test_requests_find_their_replies(client: SyncClient, name: str) -> None:
    client.declare(Queue(name))

    def serve() -> None:
        for asked in client.consume(name):
            properties = BasicProperties.of(correlation_id=asked.properties.correlation_id)
            reply = Outgoing("", asked.properties.reply_to, b"re: " + asked.body, properties, mandatory=False)
            asked.ack()
            client.publish(reply)
            return

    server = threading.Thread(target=serve)
    server.start()
    assert client.request("", name, b"why", timeout=30).body == b"re: why"
    server.join()
    client.withdraw(Queue(name))


def test_errors_come_out_where_the_verb_was_called(client: SyncClient, name: str) -> None:
    with pytest.raises(Unroutable):
        client.publish(to(name))


def test_what_cannot_be_connected_leaves_no_thread() -> None:
    before = threading.active_count()
    with pytest.raises(BadUrl):
        connect("http://nowhere")
    assert threading.active_count() == before


def test_a_closed_client_says_so(broker: Running) -> None:
    client = connect(broker.url, settings=HASTY)
    client.close()
    client.close()
    with pytest.raises(NotConnected):
        client.queue_state("whatever")
