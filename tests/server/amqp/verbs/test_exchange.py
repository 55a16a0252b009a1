from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.server.amqp.verbs.exchange import clean
from penstock.server.permissions import Permission
from penstock.wire.amqp.methods import (
    ExchangeBind,
    ExchangeBindOk,
    ExchangeDeclare,
    ExchangeDeclareOk,
    ExchangeDelete,
    ExchangeDeleteOk,
    ExchangeUnbind,
    ExchangeUnbindOk,
    QueueBind,
    QueueDeclare,
)

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client, World

NO_NAME = "invalid type 'signedint' for arg 'alternate-exchange'"
DEFAULT = (403, "ACCESS_REFUSED - operation not permitted on the default exchange")


def test_line_breaks_are_taken_out_of_a_name(client: Client) -> None:
    assert clean("a\r\nb\n") == "ab"
    client.say(ExchangeDeclare("a\nb", "direct"))
    assert "ab" in client.world.host.wiring.proxies


def test_an_exchange_is_declared_with_all_it_says(client: Client) -> None:
    arguments: Any = {"alternate-exchange": "amq.fanout", "x-drop": 0.25, "x-seed": 7, "more": 1}
    declare = ExchangeDeclare("x", "x-lossy", durable=True, auto_delete=True, arguments=arguments)
    assert client.ask(declare) == ExchangeDeclareOk()
    proxy = client.world.host.wiring.proxies["x"]
    assert (proxy.class_name, proxy.persistent, proxy.dynamic) == ("LOSSY", True, True)
    assert (proxy.alternate, proxy.properties) == ("amq.fanout", {"drop": 0.25, "seed": 7})
    assert client.ask(declare) == ExchangeDeclareOk()
    assert client.refused(ExchangeDeclare("x", "x-lossy", auto_delete=True))[0] == 406


@pytest.mark.parametrize(
    ("name", "kind"), [("amq.direct", "direct"), ("amq.topic", "topic"), ("amq.match", "headers")]
)
def test_some_are_always_there(client: Client, name: str, kind: str) -> None:
    assert client.ask(ExchangeDeclare(name, kind, durable=True)) == ExchangeDeclareOk()


def test_asking_is_not_declaring(client: Client) -> None:
    assert client.ask(ExchangeDeclare("amq.topic", passive=True)) == ExchangeDeclareOk()
    told = "NOT_FOUND - no exchange 'x' in vhost '/'"
    assert client.refused(ExchangeDeclare("x", passive=True)) == (404, told)


@pytest.mark.parametrize(
    ("method", "refusal"),
    [
        (ExchangeDeclare("x", "nope"), (406, "PRECONDITION_FAILED - unknown exchange type 'nope'")),
        (ExchangeDeclare("", "direct"), DEFAULT),
        (ExchangeDeclare("", passive=True), DEFAULT),
        (ExchangeDelete(""), DEFAULT),
        (ExchangeBind("", "amq.fanout"), DEFAULT),
        (ExchangeUnbind("amq.fanout", ""), DEFAULT),
        (
            ExchangeDeclare("amq.x", "direct"),
            (403, "ACCESS_REFUSED - exchange name 'amq.x' contains reserved prefix 'amq.*'"),
        ),
        (
            ExchangeDelete("amq.direct"),
            (403, "ACCESS_REFUSED - deletion of system exchange 'amq.direct' in vhost '/' not allowed"),
        ),
        (
            ExchangeDeclare("x", "direct", arguments={"alternate-exchange": 5}),
            (406, f"PRECONDITION_FAILED - {NO_NAME} in exchange 'x' in vhost '/'"),
        ),
        (ExchangeBind("amq.fanout", "x"), (404, "NOT_FOUND - no exchange 'x' in vhost '/'")),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(client: Client, method: Any, refusal: tuple[int, str]) -> None:
    assert client.refused(method) == refusal


def test_an_alternate_exchange_needs_permission(world: World, client: Client) -> None:
    own = Permission(user="guest", vhost="/", configure="^x$", write="^x$", read="^x$")
    world.access.realm.permissions.grant(own)
    arguments: Any = {"alternate-exchange": "amq.fanout"}
    code, text = client.refused(ExchangeDeclare("x", "direct", arguments=arguments))
    assert (code, "write access to exchange 'amq.fanout'" in text) == (403, True)


def test_an_exchange_is_deleted_if_it_may(client: Client) -> None:
    client.say(ExchangeDeclare("x", "fanout"), QueueDeclare("q"), QueueBind("q", "x"))
    told = "PRECONDITION_FAILED - exchange 'x' in vhost '/' in use"
    assert client.refused(ExchangeDelete("x", if_unused=True)) == (406, told)
    client.open(2)
    assert client.ask(ExchangeDelete("x"), channel=2) == ExchangeDeleteOk()
    assert client.ask(ExchangeDelete("x"), channel=2) == ExchangeDeleteOk()
    assert "x" not in client.world.host.wiring.proxies


def test_exchanges_feed_each_other(client: Client) -> None:
    client.say(ExchangeDeclare("a", "topic"), ExchangeDeclare("b", "fanout"))
    client.say(QueueDeclare("q"), QueueBind("q", "b"))
    assert client.ask(ExchangeBind("b", "a", "x.#")) == ExchangeBindOk()
    client.publish(b"1", "x.y", "a")
    assert client.ask(ExchangeUnbind("b", "a", "x.#")) == ExchangeUnbindOk()
    client.publish(b"2", "x.y", "a")
    assert client.world.host.wiring.queue("q").ready == 1


def test_unbinding_what_is_not_there_is_fine(client: Client) -> None:
    assert client.ask(ExchangeUnbind("nobody", "amq.topic", "k")) == ExchangeUnbindOk()
