from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.server.vhosts import VirtualHost
from penstock.wire.amqp.methods import (
    BasicConsume,
    QueueBind,
    QueueBindOk,
    QueueDeclare,
    QueueDeclareOk,
    QueueDelete,
    QueueDeleteOk,
    QueuePurge,
    QueuePurgeOk,
    QueueUnbind,
    QueueUnbindOk,
)
from tests.server.amqp.talk import Client, World

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REPLY_TO = "amq.rabbitmq.reply-to"
QUORUM: Any = {"x-queue-type": "quorum"}
WIRING: Any = {
    "templates": {
        "work": {"max_length": 3, "most_urgent": 0, "registration": {"proxy": "amq.topic", "pattern": "w.#"}},
        "own": {"registration": {"proxy": "amq.direct"}},
    }
}


def test_a_queue_is_declared_and_declared_again(client: Client) -> None:
    assert client.ask(QueueDeclare("q\r\n")) == QueueDeclareOk("q", 0, 0)
    client.publish(b"x", "q")
    client.say(BasicConsume("q", no_ack=True))
    client.publish(b"x", "q")
    assert client.ask(QueueDeclare("q")) == QueueDeclareOk("q", 0, 1)
    assert client.refused(QueueDeclare("q", durable=True))[0] == 406


def test_the_broker_gives_a_name(client: Client) -> None:
    assert client.ask(QueueDeclare()).queue.startswith("amq.gen-")


def test_a_quorum_queue_has_the_settings_limit(client: Client) -> None:
    client.say(QueueDeclare("q", durable=True, arguments=QUORUM))
    assert client.world.host.wiring.queue("q").template.delivery_limit == 20


@pytest.mark.parametrize(
    ("method", "code", "text"),
    [
        (QueueDeclare("", passive=True), 404, "NOT_FOUND - no queue '' in vhost '/'"),
        (QueueDeclare("amq.q"), 403, "ACCESS_REFUSED - queue name 'amq.q' contains reserved prefix 'amq.*'"),
        (QueueDeclare(f"{REPLY_TO}.no"), 404, f"NOT_FOUND - no queue '{REPLY_TO}.no' in vhost '/'"),
        (
            QueueDeclare("", durable=True, arguments=QUORUM),
            406,
            "PRECONDITION_FAILED - Cannot declare a server-named queue for type rabbit_quorum_queue",
        ),
        (
            QueueDeclare("q", arguments=QUORUM),
            406,
            "PRECONDITION_FAILED - invalid property 'non-durable' for queue 'q' in vhost '/'",
        ),
        (
            QueueDeclare("q", durable=True, exclusive=True, arguments=QUORUM),
            406,
            "PRECONDITION_FAILED - invalid property 'exclusive-owner' for queue 'q' in vhost '/'",
        ),
        (QueueDelete(), 404, "NOT_FOUND - no previously declared queue"),
        (QueuePurge("q"), 404, "NOT_FOUND - no queue 'q' in vhost '/'"),
        (
            QueueBind(f"{REPLY_TO}.x", "amq.direct"),
            403,
            "ACCESS_REFUSED - cannot bind or unbind to a volatile (direct reply-to) queue",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(client: Client, method: Any, code: int, text: str) -> None:
    assert client.refused(method) == (code, text)


def test_exclusive_and_not_are_not_the_same(client: Client, other: Client) -> None:
    client.say(QueueDeclare("mine", exclusive=True), QueueDeclare("all"))
    assert client.refused(QueueDeclare("mine"))[0] == 405
    client.open(2)
    assert client.refused(QueueDeclare("all", exclusive=True), channel=2)[0] == 405
    assert other.refused(QueueDeclare("mine", exclusive=True))[0] == 405


def test_anybody_may_ask_whether_an_answer_is_waited_for(client: Client, other: Client) -> None:
    client.say(BasicConsume(REPLY_TO, no_ack=True))
    name = client.channel().reply_queue()
    assert other.ask(QueueDeclare(name, passive=True)) == QueueDeclareOk(name, 0, 1)


# Templates


@pytest.fixture
def templated(tmp_path: Path) -> Iterator[Client]:
    """A client of a broker with templates."""
    world = World(tmp_path, wiring=WIRING)
    yield world.client()
    world.close()


def test_a_queue_is_made_from_a_template(templated: Client) -> None:
    arguments: Any = {"x-template": "work", "x-message-ttl": 1000}
    templated.say(QueueDeclare("q", arguments=arguments))
    template = templated.world.host.wiring.queue("q").template
    assert (template.max_length, template.expires_in, template.most_urgent) == (3, 1.0, 0)
    templated.publish(b"by its name", "q")
    templated.publish(b"by its template", "w.x", "amq.topic")
    assert templated.ask(QueueDeclare("q", arguments=arguments)) == QueueDeclareOk("q", 2, 0)
    assert templated.refused(QueueDeclare("q"))[0] == 406


def test_a_template_may_register_each_queue_by_its_name(templated: Client) -> None:
    arguments: Any = {"x-template": "own"}
    templated.say(QueueDeclare("q", arguments=arguments))
    templated.publish(b"x", "q", "amq.direct")
    assert templated.world.host.wiring.queue("q").ready == 1


def test_an_unknown_template_is_refused(templated: Client) -> None:
    arguments: Any = {"x-template": "other"}
    code, text = templated.refused(QueueDeclare("q", arguments=arguments))
    told = "PRECONDITION_FAILED - invalid arg 'x-template' for queue 'q' in vhost '/': there is no queue"
    assert (code, text[: len(told)]) == (406, told)


# Limits


def test_there_may_be_a_limit_in_a_virtual_host(world: World, client: Client) -> None:
    world.access.realm.vhosts.put(VirtualHost(name="/", max_queues=1))
    client.say(QueueDeclare("one"))
    told = "PRECONDITION_FAILED - cannot declare queue 'two': queue limit in vhost '/' (1) is reached"
    assert client.refused(QueueDeclare("two")) == (406, told)
    client.open(2)
    assert client.ask(QueueDeclare("one"), channel=2) == QueueDeclareOk("one", 0, 0)


def test_there_may_be_a_limit_for_the_whole_broker(tmp_path: Path) -> None:
    world = World(tmp_path, max_queues=1)
    client = world.client()
    client.say(QueueDeclare("one"))
    told = "PRECONDITION_FAILED - cannot declare queue 'two': queue limit in cluster (1) is reached"
    assert client.refused(QueueDeclare("two")) == (406, told)
    world.close()


# Bindings


def test_a_queue_is_bound_and_unbound(client: Client) -> None:
    client.say(QueueDeclare("q"))
    assert client.ask(QueueBind("", "amq.direct")) == QueueBindOk()
    client.publish(b"x", "q", "amq.direct")
    assert client.ask(QueueUnbind("q", "amq.direct", "q")) == QueueUnbindOk()
    client.publish(b"x", "q", "amq.direct")
    assert client.world.host.wiring.queue("q").ready == 1


@pytest.mark.parametrize(
    "method",
    [QueueUnbind("no", "amq.direct", "k"), QueueUnbind("q", "no", "k"), QueueUnbind("q", "amq.topic")],
)
def test_unbinding_what_is_not_there_is_fine(client: Client, method: Any) -> None:
    client.say(QueueDeclare("q"))
    assert client.ask(method) == QueueUnbindOk()


# Purging and deleting


def test_a_queue_is_purged_and_deleted(client: Client) -> None:
    client.say(QueueDeclare("q"))
    client.publish(b"x", "q")
    assert client.ask(QueuePurge("")) == QueuePurgeOk(1)
    client.publish(b"x", "q")
    assert client.ask(QueueDelete("")) == QueueDeleteOk(1)
    assert client.ask(QueueDelete("q")) == QueueDeleteOk(0)


def test_a_queue_may_be_too_good_to_delete(client: Client) -> None:
    client.say(QueueDeclare("q"), BasicConsume("q", "t"))
    told = "PRECONDITION_FAILED - queue 'q' in vhost '/' in use"
    assert client.refused(QueueDelete("q", if_unused=True)) == (406, told)
    client.open(2)
    client.publish(b"x", "q", channel=2)
    told = "PRECONDITION_FAILED - queue 'q' in vhost '/' not empty"
    assert client.refused(QueueDelete("q", if_empty=True), channel=2) == (406, told)
