"""kombu on py-amqp, which is what Celery speaks through; and py-amqp by itself."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import amqp
import kombu
import pytest
from kombu.exceptions import OperationalError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.running import Running


@pytest.fixture
def connection(broker: Running) -> Iterator[Any]:
    with kombu.Connection(broker.url, transport_options={"confirm_publish": True}) as connection:
        yield connection


def test_an_object_travels_through_an_exchange(connection: Any, name: str) -> None:
    exchange = kombu.Exchange(name, "topic", durable=False, auto_delete=True)
    queue = kombu.Queue(name, exchange, routing_key="video.#", durable=False, auto_delete=True)
    seen: list[Any] = []

    def handle(body: Any, message: Any) -> None:
        seen.append((body, message.content_type, message.delivery_info["routing_key"]))
        message.ack()

    with connection.Consumer(queue, callbacks=[handle], accept=["json"]):
        producer = connection.Producer(serializer="json")
        producer.publish({"size": 5}, exchange=exchange, routing_key="video.new", declare=[queue])
        while not seen:
            connection.drain_events(timeout=60)
    assert seen == [({"size": 5}, "application/json", "video.new")]


def test_a_simple_queue_is_put_to_and_got_from(connection: Any, name: str) -> None:
    passing = {"durable": False, "auto_delete": True}
    queue = connection.SimpleQueue(name, queue_opts=passing, exchange_opts=passing)
    queue.put({"hello": "world"}, compression="zlib")
    message = queue.get(block=True, timeout=60)
    assert message.payload == {"hello": "world"}
    message.ack()
    with pytest.raises(queue.Empty):
        queue.get(block=False)
    queue.close()


def test_requeue_and_reject(connection: Any, name: str) -> None:
    channel = connection.channel()
    dead = kombu.Queue(f"{name}-dead", durable=False, exclusive=True, channel=channel)
    dead.declare()
    arguments = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": dead.name}
    queue = kombu.Queue(name, durable=False, exclusive=True, queue_arguments=arguments, channel=channel)
    queue.declare()
    connection.Producer(channel).publish("try me", routing_key=name)
    message = queue.get()
    message.requeue()
    again = queue.get()
    assert again.delivery_info["redelivered"] is True
    again.reject()
    letter = wait_for(dead)
    assert letter.headers["x-death"][0]["reason"] == "rejected"


def wait_for(queue: Any) -> Any:
    for _ in range(1000):
        if message := queue.get(no_ack=True):
            return message
    raise AssertionError("no message came")


def test_a_message_with_priority_and_expiration(connection: Any, name: str) -> None:
    channel = connection.channel()
    queue = kombu.Queue(name, durable=False, exclusive=True, max_priority=10, channel=channel)
    queue.declare()
    producer = connection.Producer(channel)
    producer.publish("low", routing_key=name, priority=1)
    producer.publish("high", routing_key=name, priority=9, expiration=60)
    assert [queue.get(no_ack=True).payload for _ in range(2)] == ["high", "low"]


def test_publishing_again_after_the_connection_was_lost(connection: Any, name: str) -> None:
    queue = kombu.Queue(name, durable=False, auto_delete=True)
    producer = connection.Producer()
    producer.publish("one", routing_key=name, declare=[queue], retry=True)
    connection.connection.transport.sock.shutdown(socket.SHUT_RDWR)
    producer.publish("two", routing_key=name, retry=True, retry_policy={"max_retries": 3})
    bound = queue(connection.channel())
    assert [bound.get(no_ack=True).payload for _ in range(2)] == ["one", "two"]
    bound.delete()


def test_a_wrong_password_is_told(broker: Running) -> None:
    url = broker.url.replace("guest:guest", "guest:wrong")
    with pytest.raises((amqp.AccessRefused, OperationalError), match="ACCESS_REFUSED"):
        kombu.Connection(url).ensure_connection(max_retries=1)


# py-amqp by itself


@pytest.fixture
def channel(broker: Running) -> Iterator[Any]:
    with amqp.Connection(f"{broker.host}:{broker.port}", confirm_publish=True) as connection:
        yield connection.channel()


def test_the_broker_is_asked_what_it_can(channel: Any) -> None:
    properties = channel.connection.server_properties
    assert properties["capabilities"]["basic.nack"] is True
    assert channel.connection.mechanisms


def test_publish_and_get(channel: Any, name: str) -> None:
    channel.queue_declare(name, durable=False, exclusive=True)
    headers = {"a": 1, "b": [True, None, 2**40], "c": {"d": "e"}}
    message = amqp.Message("hellö", application_headers=headers, delivery_mode=2, content_type="text/plain")
    channel.basic_publish(message, routing_key=name, timeout=60)
    got = channel.basic_get(name)
    assert (got.body, got.headers, got.delivery_tag) == ("hellö", headers, 1)
    channel.basic_ack(got.delivery_tag)


def test_errors_have_their_own_types(channel: Any, name: str) -> None:
    with pytest.raises(amqp.NotFound) as missing:
        channel.queue_declare(name, passive=True)
    assert (missing.value.reply_code, missing.value.method_sig) == (404, (50, 10))
    again = channel.connection.channel()
    with pytest.raises(amqp.AccessRefused):
        again.exchange_declare(f"amq.{name}", "direct")
