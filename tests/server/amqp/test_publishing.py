from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.server.permissions import Permission, TopicPermission
from penstock.wire.amqp import BasicProperties, PublishArgs
from penstock.wire.amqp.content import content_frames, header_frame
from penstock.wire.amqp.items import BODY_END, PUBLISH
from penstock.wire.amqp.methods import (
    BasicAck,
    BasicConsume,
    BasicGet,
    BasicNack,
    BasicReturn,
    ConfirmSelect,
    ExchangeDeclare,
    ExchangeDelete,
    QueueDeclare,
)

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client, Heard, World


@pytest.fixture
def confirming(client: Client) -> Client:
    """A client that wants confirms, with queues: "q", "durable", and "full", which takes one message."""
    full: Any = {"x-max-length": 1, "x-overflow": "reject-publish"}
    client.say(QueueDeclare("durable", durable=True), QueueDeclare("full", arguments=full))
    client.say(QueueDeclare("q"), ConfirmSelect())
    return client


def item(key: str, exchange: str = "", **properties: Any) -> Any:
    content = BasicProperties.of(**properties)
    return PUBLISH, 1, PublishArgs(exchange, key), content, content_frames(1, content, b"x", 0), 1


def publish(client: Client, *items: Any) -> list[Heard]:
    """Several in one read."""

    def take() -> None:
        client.channel().publishing.publish(list(items))
        client.world.broker.turn()

    client.world.run(take)
    return client.hear()


def methods(heard: list[Heard]) -> list[Any]:
    return [each.method for each in heard]


# Confirms


def test_publishes_of_a_read_are_confirmed_together(confirming: Client) -> None:
    heard = publish(confirming, item("q"), item("nobody"), item("q"))
    assert methods(heard) == [BasicAck(3, multiple=True)]


def test_one_publish_is_confirmed_alone(confirming: Client) -> None:
    assert methods(confirming.publish(b"x", "q")) == [BasicAck(1)]


def test_what_is_kept_on_disk_is_confirmed_when_it_is_there(confirming: Client) -> None:
    heard = publish(confirming, item("durable", delivery_mode=2), item("q"))
    assert methods(heard) == [BasicAck(2, multiple=True)]


def test_a_later_batch_does_not_confirm_what_comes_after_it(confirming: Client) -> None:
    publishing = confirming.channel().publishing
    publishing._waiting.extend([(1, 2), (2, 3)])
    publishing.published = 3
    publishing.confirm_all()
    publishing.written(1)
    publishing.written(2)
    confirming.world.run(confirming.world.broker.turn)
    assert methods(confirming.hear()) == [BasicAck(2, multiple=True), BasicAck(3)]


def test_what_does_not_fit_is_refused_in_its_turn(confirming: Client) -> None:
    heard = publish(confirming, item("full"), item("full"), item("q"))
    assert methods(heard) == [BasicAck(1), BasicNack(2, requeue=False), BasicAck(3)]
    assert confirming.channel().publishing.has_refused


def test_what_could_not_be_taken_is_refused(confirming: Client) -> None:
    def refuse() -> None:
        confirming.channel().publishing.refuse()
        confirming.world.broker.turn()

    confirming.world.run(refuse)
    assert methods(confirming.hear()) == [BasicNack(1, requeue=False)]


def test_nobody_is_told_on_a_closed_channel(confirming: Client) -> None:
    channel = confirming.channel()
    channel.is_open = False
    channel.publishing._refused.append(1)
    channel.publishing.confirm(2)
    assert confirming.session.out == []


def test_without_confirms_nothing_is_said(client: Client) -> None:
    assert client.publish(b"x", "nobody") == []


# Routes


def test_nobody_asked_for_it(client: Client) -> None:
    (returned,) = client.publish(b"x", "nobody", mandatory=True, message_id="id")
    assert returned.method == BasicReturn(312, "NO_ROUTE", "", "nobody")
    assert returned.content is not None
    assert (returned.body, returned.content.message_id) == (b"x", "id")


def test_immediate_is_not_implemented(client: Client) -> None:
    assert client.told(client.publish(key="q", immediate=True)) == (540, "NOT_IMPLEMENTED - immediate=true")


def test_those_before_a_mistake_are_on_their_way(confirming: Client) -> None:
    with pytest.raises(Exception, match="no exchange 'nowhere'"):
        confirming.channel().publishing.publish([item("q"), item("k", "nowhere"), item("q")])
    assert confirming.world.host.wiring.queue("q").ready == 1


def test_an_exchange_may_be_gone_the_next_time(client: Client) -> None:
    client.say(ExchangeDeclare("x", "fanout"))
    assert client.publish(exchange="x") == []
    client.say(ExchangeDelete("x"))
    assert client.told(client.publish(exchange="x")) == (404, "NOT_FOUND - no exchange 'x' in vhost '/'")


def test_an_exchange_may_be_another_the_next_time(client: Client) -> None:
    client.say(ExchangeDeclare("x", "fanout"))
    client.publish(exchange="x")
    client.say(ExchangeDelete("x"), ExchangeDeclare("x", "fanout", internal=True))
    refusal = "ACCESS_REFUSED - cannot publish to internal exchange 'x' in vhost '/'"
    assert client.told(client.publish(exchange="x")) == (403, refusal)


def test_an_error_of_the_wiring_is_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    publishing = client.channel().publishing
    monkeypatch.setattr(type(publishing), "check", lambda *_: None)
    code, _ = client.told(client.publish(exchange="never-checked"))
    assert code == 404


def test_a_permission_may_be_taken_away(world: World, client: Client) -> None:
    assert client.publish(key="k") == []
    world.access.realm.permissions.grant(Permission(user="guest", vhost="/"))
    code, text = client.told(client.publish(key="k"))
    assert (code, text[:56]) == (403, "ACCESS_REFUSED - write access to exchange 'amq.default' ")


def test_topics_have_permissions_of_their_own(world: World, client: Client) -> None:
    mine = TopicPermission(user="guest", vhost="/", exchange="amq.topic", write="^mine", read="")
    world.access.realm.permissions.grant_topic(mine)
    assert client.publish(key="mine", exchange="amq.topic") == []
    assert client.told(client.publish(key="yours", exchange="amq.topic"))[0] == 403


# Properties


def test_properties_are_read_once(client: Client) -> None:
    one = item("q")
    publish(client, one)
    assert one[3].memo is not None
    publish(client, (*one[:4], one[4], 1))


def test_a_reply_to_becomes_a_name(client: Client) -> None:
    client.say(QueueDeclare("q"), BasicConsume("amq.rabbitmq.reply-to", no_ack=True))
    client.publish(b"?", "q", reply_to="amq.rabbitmq.reply-to")
    (got,) = client.say(BasicGet("q"))
    assert got.content is not None
    assert got.content.reply_to == client.channel().reply_queue()


def test_blind_copies_are_not_shown(client: Client) -> None:
    client.say(QueueDeclare("a"), QueueDeclare("b"))
    client.publish(b"x", "a", headers={"BCC": ["b"], "more": 1})
    assert [client.say(BasicGet(name))[0].headers for name in "ab"] == [{"more": 1}] * 2


def test_a_user_id_is_ones_own(world: World, client: Client) -> None:
    assert client.publish(key="q", user_id="guest") == []
    told = "PRECONDITION_FAILED - user_id property set to 'x' but authenticated user was 'guest'"
    assert client.told(client.publish(key="q", user_id="x")) == (406, told)


def test_an_impersonator_may_speak_for_others(world: World, client: Client) -> None:
    world.access.realm.users.change_tags("guest", ["impersonator"])
    assert client.publish(key="q", user_id="somebody") == []


# Large bodies


def test_a_large_body_is_published_by_its_file(world: World, client: Client) -> None:
    client.say(QueueDeclare("q"))
    content = BasicProperties.of(headers={"BCC": ["q"]})
    large: Any = world.front.bodies.found("somewhere", 100_000)
    args = PublishArgs("", "nobody")

    def take() -> None:
        frames = header_frame(1, content, 100_000)
        client.channel().publishing.publish_large((BODY_END, 1, args, content, frames, large))

    world.run(take)
    (reference,) = world.host.wiring.queue("q").peek()
    assert (reference.message.large, reference.message.size) == (large, 100_000)  # type: ignore[attr-defined]
    assert reference.message.properties == {}
