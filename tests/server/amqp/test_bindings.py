from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.wire.amqp.methods import (
    BasicGet,
    ExchangeDeclare,
    ExchangeDelete,
    QueueBind,
    QueueDeclare,
    QueueUnbind,
)

if TYPE_CHECKING:
    from tests.server.amqp.talk import Client

SELECTOR: Any = {"x-filter-jms-selector": "colour = 'red'"}


@pytest.fixture
def bound(client: Client) -> Client:
    """A client with a queue "q" and an exchange "x" of topics."""
    client.say(QueueDeclare("q"), ExchangeDeclare("x", "topic"))
    return client


def got(client: Client) -> list[bytes]:
    """All that waits in the queue."""
    found = []
    while (heard := client.say(BasicGet("q", no_ack=True))[0]).content is not None:
        found.append(heard.body)
    return found


def publish(client: Client, *colours: str, key: str = "a.b") -> None:
    for colour in colours:
        client.publish(colour.encode(), key, "x", headers={"colour": colour})


def between(client: Client) -> list[str]:
    return [name for name in client.world.host.wiring.proxies if name.startswith("amq.selector")]


def test_a_binding_comes_and_goes(bound: Client) -> None:
    bound.say(QueueBind("q", "x", "a.*"))
    publish(bound, "red")
    bound.say(QueueUnbind("q", "x", "a.*"))
    publish(bound, "blue")
    assert got(bound) == [b"red"]


def test_a_binding_is_known_by_its_arguments_too(bound: Client) -> None:
    first: Any = {"b": 2, "a": 1}
    bound.say(QueueBind("q", "x", "a.*", arguments=first), QueueBind("q", "x", "a.*"))
    bound.say(QueueUnbind("q", "x", "a.*", arguments={"a": 1, "b": 2}))
    publish(bound, "red")
    assert got(bound) == [b"red"]
    bound.say(QueueUnbind("q", "x", "a.*"))
    publish(bound, "red")
    assert got(bound) == []


def test_a_selector_narrows_a_binding(bound: Client) -> None:
    bound.say(QueueBind("q", "x", "a.*", arguments=SELECTOR))
    publish(bound, "red", "blue")
    publish(bound, "red", key="b")
    assert got(bound) == [b"red"]


def test_a_selector_goes_with_its_last_binding(bound: Client) -> None:
    bound.say(
        QueueBind("q", "x", "a.*", arguments=SELECTOR),
        QueueBind("q", "x", "b.*", arguments=SELECTOR),
        QueueUnbind("q", "x", "a.*", arguments=SELECTOR),
    )
    assert len(between(bound)) == 1
    bound.say(
        QueueUnbind("q", "x", "b.*", arguments=SELECTOR), QueueUnbind("q", "x", "b.*", arguments=SELECTOR)
    )
    publish(bound, "red")
    assert (between(bound), got(bound)) == ([], [])


def test_a_selector_between_exchanges_lasts_as_they_do(bound: Client) -> None:
    bound.say(QueueDeclare("d", durable=True), QueueBind("d", "amq.direct", "k", arguments=SELECTOR))
    (name,) = between(bound)
    assert bound.world.host.wiring.proxies[name].persistent


def test_a_class_of_ones_own_binds_by_the_key(bound: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    # As far as AMQP knows, which has no such type.
    monkeypatch.setattr(type(bound.world.host.wiring.proxies["x"]), "class_name", "MINE")
    bound.say(QueueBind("q", "x", "a.*"))
    publish(bound, "red")
    assert got(bound) == [b"red"]


def test_an_exchange_takes_its_bindings_along(bound: Client) -> None:
    bound.say(QueueBind("q", "x", "a.*"), ExchangeDelete("x"), ExchangeDeclare("x", "topic"))
    publish(bound, "red")
    assert got(bound) == []
