from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from penstock.client import Outgoing, Queue
from penstock.client.sync import connect
from penstock.errors import LoginRefused, NotConnected, UnknownQueue
from penstock.pipelines.spool import amqp
from penstock.pipelines.spool.amqp import AmqpFeed, check
from tests.pipelines.queues import until
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.client.sync import SyncClient
    from tests.servers.running import Running


@pytest.fixture
def client(broker: Running, name: str) -> Iterator[SyncClient]:
    with connect(broker.url) as made:
        made.declare(Queue(name))
        yield made
        made.withdraw(Queue(name))


def test_messages_come_in_order_and_go_when_they_are_acknowledged(
    client: SyncClient, broker: Running, name: str
) -> None:
    client.publish_many([Outgoing("", name, b"%d" % number) for number in range(100)])
    feed = AmqpFeed(broker.url, name)

    got = list(feed.next(60.0))
    while len(got) < 100:
        got += feed.next(60.0)
    assert [message.body for message in got] == [b"%d" % number for number in range(100)]
    assert feed.left() == 100  # in hand
    feed.ack(got)
    until(lambda: not feed.left())
    feed.close()
    state = client.queue_state(name)
    assert state is not None
    assert state.messages == 0


def test_what_is_not_acknowledged_comes_again(client: SyncClient, broker: Running, name: str) -> None:
    client.publish(Outgoing("", name, b"x"))
    first = AmqpFeed(broker.url, name)
    assert len(first.next(60.0)) == 1
    first.close()

    second = AmqpFeed(broker.url, name)
    assert [(message.body, message.redelivered) for message in second.next(60.0)] == [(b"x", True)]
    second.close()


def test_nothing_is_waited_for_longer_than_asked(client: SyncClient, broker: Running, name: str) -> None:
    feed = AmqpFeed(broker.url, name)

    assert list(feed.next(0.01)) == []
    assert feed.left() == 0
    feed.close()


def test_in_a_flood_more_is_waited_for(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amqp, "FLOOD", 1)
    monkeypatch.setattr(amqp, "MORE_IN", 60.0)
    monkeypatch.setattr(amqp, "AT_ONCE", 3)
    feed = AmqpFeed(broker.url, name)
    with ThreadPoolExecutor(1) as pool:
        came = pool.submit(feed.next, 60.0)
        for number in range(3):
            assert not came.done()
            client.publish(Outgoing("", name, b"%d" % number))
        assert len(came.result(60.0)) == 3
    feed.close()


def test_few_messages_are_given_at_once(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amqp, "MORE_IN", math.inf)
    feed = AmqpFeed(broker.url, name)
    client.publish(Outgoing("", name, b"x"))

    assert len(feed.next(60.0)) == 1
    feed.close()


def test_a_flood_that_is_over_is_not_waited_for_without_end(
    client: SyncClient, broker: Running, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(amqp, "FLOOD", 1)
    feed = AmqpFeed(broker.url, name)
    client.publish(Outgoing("", name, b"x"))

    assert len(feed.next(60.0)) == 1
    feed.close()


def test_a_queue_that_is_not_there_is_named(broker: Running, name: str) -> None:
    with pytest.raises(UnknownQueue, match=f"no queue '{name}' at amqp://guest@"):
        AmqpFeed(broker.url, name)
    with pytest.raises(UnknownQueue, match=f"no queue '{name}' at amqp://guest@"):
        check(broker.url, name)


def test_a_wrong_password_is_told_without_it(broker: Running, name: str) -> None:
    with pytest.raises(LoginRefused) as caught:
        check(broker.url.replace("guest:guest", "guest:sesame"), name)
    assert "sesame" not in str(caught.value)


def test_nobody_there_is_told(name: str) -> None:
    with pytest.raises(NotConnected):
        check(f"amqp://127.0.0.1:{free_port()}", name)
