from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.server.permissions import Permission
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicConsume,
    BasicGet,
    ConfirmSelect,
    ExchangeBind,
    ExchangeDeclare,
    QueueBind,
    QueueDeclare,
)

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client, Heard, World

DEFINITIONS = "amq.penstock.definitions"
REPLY_TO = "amq.rabbitmq.reply-to"
LIMITED: Any = {"x-max-length": 5, "x-queue-type": "classic"}


def ask(client: Client, **properties: Any) -> list[Heard]:
    client.say(BasicConsume(REPLY_TO, no_ack=True))
    return client.publish(key=DEFINITIONS, mandatory=True, reply_to=REPLY_TO, **properties)


def told(client: Client) -> dict[str, Any]:
    (heard,) = ask(client)
    found: dict[str, Any] = msgspec.json.decode(heard.body)
    return found


def named(things: list[dict[str, Any]]) -> list[str]:
    return [thing["name"] for thing in things]


def test_a_queue_is_told_as_it_was_declared_with_what_is_in_it(client: Client) -> None:
    client.say(QueueDeclare("q", durable=True, arguments=LIMITED), BasicConsume("q", consumer_tag="c"))
    client.publish(b"in hand", "q")
    client.publish(b"later", "q", headers={"x-delay": 60_000})
    assert told(client)["queues"] == [
        {
            "name": "q",
            "vhost": "/",
            "durable": True,
            "auto_delete": False,
            "arguments": LIMITED,
            "messages": 2,
            "messages_ready": 0,
            "messages_unacknowledged": 1,
            "messages_delayed": 1,
            "consumers": 1,
        }
    ]


def test_exchanges_are_told_but_those_that_every_host_has(client: Client) -> None:
    client.say(ExchangeDeclare("lots", "x-lossy", internal=True, arguments={"x-drop": 0.5}))
    assert told(client)["exchanges"] == [
        {
            "name": "lots",
            "vhost": "/",
            "type": "x-lossy",
            "durable": False,
            "auto_delete": False,
            "internal": True,
            "arguments": {"x-drop": 0.5},
        }
    ]


def test_bindings_are_told_as_they_were_asked_for(client: Client) -> None:
    selector: Any = {"x-filter-jms-selector": "colour = 'red'", "a": 1}
    client.say(
        QueueDeclare("q"),
        ExchangeDeclare("x", "topic"),
        ExchangeDeclare("y", "fanout"),
        QueueBind("q", "x", "a.*"),
        QueueBind("q", "x", "a.*", arguments=selector),
        ExchangeBind("y", "x", "nul\0in it"),
    )
    common = {"vhost": "/", "source": "x"}
    none: dict[str, Any] = {}
    assert told(client)["bindings"] == [
        common
        | {"destination": "q", "destination_type": "queue", "routing_key": "a.*", "arguments": arguments}
        for arguments in (none, selector)
    ] + [
        common
        | {"destination": "y", "destination_type": "exchange", "routing_key": "nul\0in it", "arguments": {}}
    ]


def test_what_one_connection_has_for_itself_is_not_told(client: Client) -> None:
    client.say(QueueDeclare("mine", exclusive=True), QueueDeclare("ours"))
    assert named(told(client)["queues"]) == ["ours"]


def test_who_asks_is_told_of_what_they_may_read_or_configure(world: World, client: Client) -> None:
    client.say(*map(QueueDeclare, ("read.it", "make.it", "write.it", "leave.it")))
    client.say(ExchangeDeclare("x"), QueueBind("read.it", "x"), QueueBind("leave.it", "x"))
    world.access.realm.users.add("dora", "dora")
    permission = Permission(user="dora", vhost="/", configure="^make", write="^(write|amq)", read="^read")
    world.access.realm.permissions.grant(permission)
    dora = world.client("dora")
    seen = told(dora)
    assert (named(seen["queues"]), seen["exchanges"]) == (["read.it", "make.it"], [])
    assert [found["destination"] for found in seen["bindings"]] == ["read.it"]
    world.access.realm.users.change_tags("dora", ["monitoring"])
    (heard,) = dora.publish(key=DEFINITIONS, reply_to=REPLY_TO)
    assert len(msgspec.json.decode(heard.body)["queues"]) == 4


def test_the_answer_names_the_question(client: Client) -> None:
    (heard,) = ask(client, correlation_id="7")
    assert heard.content is not None
    assert (heard.content.correlation_id, heard.content.content_type) == ("7", "application/json")


def test_the_answer_may_go_to_any_queue(client: Client) -> None:
    client.say(QueueDeclare("answers"), ConfirmSelect())
    assert client.publish(key=DEFINITIONS, reply_to="answers")[0].method == BasicAck(1)
    (heard,) = client.say(BasicGet("answers"))
    assert msgspec.json.decode(heard.body)["product_name"] == "Penstock"


def test_a_request_that_wants_no_answer_is_a_mistake(client: Client) -> None:
    assert client.told(client.publish(key=DEFINITIONS)) == (
        406,
        "PRECONDITION_FAILED - a request for definitions has a reply-to",
    )


def test_the_same_key_on_another_exchange_means_nothing(client: Client) -> None:
    client.say(BasicConsume(REPLY_TO, no_ack=True))
    assert client.publish(exchange="amq.direct", key=DEFINITIONS, reply_to=REPLY_TO) == []


def test_texts_may_be_no_text_at_all(client: Client) -> None:
    strange: Any = {"x-why": b"\xff", "x-since": [None, {"\udcff": "ä"}]}
    client.say(QueueDeclare("ö", arguments=strange))
    (queue,) = told(client)["queues"]
    assert queue["name"] == "ö"
    assert queue["arguments"] == {"x-why": "/w==", "x-since": [None, {"\ufffd": "ä"}]}
