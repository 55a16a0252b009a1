"""pika, RabbitMQ's own client for Python: what its users do every day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pika
import pytest
from pika.exceptions import (
    ChannelClosedByBroker,
    NackError,
    ProbableAccessDeniedError,
    ProbableAuthenticationError,
    UnroutableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.running import Running


def connect(broker: Running, **settings: Any) -> Any:
    defaults: dict[str, Any] = {"host": broker.host, "port": broker.port, "blocked_connection_timeout": 15}
    return pika.BlockingConnection(pika.ConnectionParameters(**defaults | settings))


@pytest.fixture
def connection(broker: Running) -> Iterator[Any]:
    connection = connect(broker)
    yield connection
    if connection.is_open:
        connection.close()


@pytest.fixture
def channel(connection: Any) -> Any:
    return connection.channel()


def drain(channel: Any, queue: str) -> list[bytes]:
    taken = []
    while (got := channel.basic_get(queue, auto_ack=True))[0] is not None:
        taken.append(got[2])
    return taken


def test_hello_world(channel: Any, name: str) -> None:
    channel.queue_declare(name, exclusive=True)
    channel.basic_publish("", name, b"Hello World!")
    for method, properties, body in channel.consume(name, inactivity_timeout=60):
        assert (method.redelivered, properties.headers, body) == (False, None, b"Hello World!")
        channel.basic_ack(method.delivery_tag)
        break
    assert channel.cancel() == 0


def test_work_queues_survive_a_worker(broker: Running, channel: Any, name: str) -> None:
    channel.queue_declare(name, durable=True)
    channel.basic_publish("", name, b"task", pika.BasicProperties(delivery_mode=2))
    lazy = connect(broker)
    worker = lazy.channel()
    worker.basic_qos(prefetch_count=1)
    method, _, _ = next(worker.consume(name, inactivity_timeout=60))
    assert method.redelivered is False
    lazy.close()
    method, _, body = next(channel.consume(name, inactivity_timeout=60))
    assert (method.redelivered, body) == (True, b"task")
    channel.basic_ack(method.delivery_tag)
    channel.cancel()
    channel.queue_delete(name)


def test_publish_and_subscribe(channel: Any, name: str) -> None:
    channel.exchange_declare(name, "fanout", auto_delete=True)
    queues = [channel.queue_declare("", exclusive=True).method.queue for _ in range(2)]
    for queue in queues:
        channel.queue_bind(queue, name)
    channel.basic_publish(name, "", b"news")
    assert [drain(channel, queue) for queue in queues] == [[b"news"], [b"news"]]


def test_topics(channel: Any, name: str) -> None:
    channel.exchange_declare(name, "topic", auto_delete=True)
    queue = channel.queue_declare("", exclusive=True).method.queue
    channel.queue_bind(queue, name, "*.orange.*")
    channel.queue_bind(queue, name, "lazy.#")
    for key in ["quick.orange.rabbit", "lazy.brown.fox", "quick.brown.fox", "lazy.orange.elephant"]:
        channel.basic_publish(name, key, key.encode())
    assert drain(channel, queue) == [b"quick.orange.rabbit", b"lazy.brown.fox", b"lazy.orange.elephant"]


def test_remote_calls(broker: Running, connection: Any, channel: Any, name: str) -> None:
    channel.queue_declare(name, auto_delete=True)
    answers: list[bytes] = []
    channel.basic_consume(
        "amq.rabbitmq.reply-to", lambda _c, _m, _p, body: answers.append(body), auto_ack=True
    )
    channel.basic_publish("", name, b"20", pika.BasicProperties(reply_to="amq.rabbitmq.reply-to"))
    server_connection = connect(broker)
    server = server_connection.channel()
    _, properties, body = next(server.consume(name, auto_ack=True, inactivity_timeout=60))
    server.basic_publish("", properties.reply_to, b"%d" % (int(body) * 2))
    while not answers:
        connection.process_data_events(time_limit=1)
    assert answers == [b"40"]
    server_connection.close()


def test_confirms_make_publishing_tell(channel: Any, name: str) -> None:
    channel.confirm_delivery()
    channel.queue_declare(name, exclusive=True, arguments={"x-max-length": 1, "x-overflow": "reject-publish"})
    channel.basic_publish("", name, b"fits", mandatory=True)
    with pytest.raises(NackError):
        channel.basic_publish("", name, b"does not")
    with pytest.raises(UnroutableError) as unroutable:
        channel.basic_publish("", f"{name}-not-there", b"nobody", mandatory=True)
    assert unroutable.value.messages[0].method.reply_code == 312


def test_errors_are_told_by_their_codes(connection: Any, name: str) -> None:
    first = connection.channel()
    first.queue_declare(name, exclusive=True)
    with pytest.raises(ChannelClosedByBroker) as closed:
        first.queue_declare(name, exclusive=True, auto_delete=True)
    assert closed.value.reply_code == 406
    assert closed.value.reply_text.startswith(
        "PRECONDITION_FAILED - inequivalent arg 'auto_delete' for queue"
    )
    assert connection.channel().is_open


def test_a_wrong_password_is_told(broker: Running) -> None:
    with pytest.raises(ProbableAuthenticationError, match="ACCESS_REFUSED"):
        connect(broker, credentials=pika.PlainCredentials("guest", "wrong"))


def test_an_unknown_vhost_is_told(broker: Running) -> None:
    with pytest.raises(ProbableAccessDeniedError, match="vhost nowhere not found"):
        connect(broker, virtual_host="nowhere")


def test_a_cancelled_consumer_is_told(connection: Any, channel: Any, name: str) -> None:
    channel.queue_declare(name, exclusive=True)
    cancelled: list[Any] = []
    channel.add_on_cancel_callback(cancelled.append)
    channel.basic_consume(name, lambda *_: None)
    connection.channel().queue_delete(name)
    while not cancelled:
        connection.process_data_events(time_limit=1)
    assert len(cancelled) == 1


def test_headers_of_many_types_come_back(channel: Any, name: str) -> None:
    channel.queue_declare(name, exclusive=True)
    headers = {
        "text": "ü",
        "int": -5,
        "big": 2**40,
        "yes": True,
        "list": [1, {"a": None}],
        "table": {"x": "y"},
    }
    channel.basic_publish("", name, b"", pika.BasicProperties(headers=headers, content_type="text/plain"))
    _, properties, body = channel.basic_get(name, auto_ack=True)
    assert (properties.headers, properties.content_type, body) == (headers, "text/plain", b"")


def test_a_transaction(channel: Any, name: str) -> None:
    channel.queue_declare(name, exclusive=True)
    channel.tx_select()
    channel.basic_publish("", name, b"never")
    channel.tx_rollback()
    channel.basic_publish("", name, b"now")
    channel.tx_commit()
    assert drain(channel, name) == [b"now"]


def test_a_secret_is_renewed(connection: Any) -> None:
    connection.update_secret("guest", "it is time")
    assert connection.channel().is_open


def test_heartbeats_keep_a_connection(broker: Running) -> None:
    connection = connect(broker, heartbeat=1)
    connection.process_data_events(time_limit=2.5)
    assert connection.channel().is_open
    connection.close()
