from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.server.amqp.bindings import _identity, read_identity
from penstock.wire.amqp.methods import (
    BasicGet,
    ExchangeBind,
    ExchangeDeclare,
    ExchangeDelete,
    ExchangeUnbind,
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


@pytest.mark.parametrize("durable", [True, False])
def test_a_selector_goes_with_its_exchange(client: Client, *, durable: bool) -> None:
    client.say(QueueDeclare("q", durable=True), ExchangeDeclare("x", "topic", durable=durable))
    client.say(
        QueueBind("q", "x", "a.*", arguments=SELECTOR),
        QueueBind("q", "x", "b.*", arguments=SELECTOR),
        ExchangeDelete("x"),
    )
    host = client.world.host
    assert (between(client), host.registrations, len(host.wiring.queue("q").registrations)) == ([], {}, 1)
    # Another of that name, that lasts otherwise, starts afresh.
    client.say(ExchangeDeclare("x", "topic", durable=not durable))
    client.say(QueueBind("q", "x", "a.*", arguments=SELECTOR))
    publish(client, "red", "blue")
    assert got(client) == [b"red"]


def test_a_selector_goes_with_an_exchange_that_goes_by_itself(bound: Client) -> None:
    bound.say(ExchangeDeclare("y", "fanout", auto_delete=True), ExchangeDeclare("z", "fanout"))
    bound.say(ExchangeBind("y", "x", "#", arguments=SELECTOR), ExchangeBind("z", "y", arguments=SELECTOR))
    assert len(between(bound)) == 2
    bound.say(ExchangeDelete("z"))
    assert (between(bound), bound.world.host.registrations) == ([], {})
    assert "y" not in bound.world.host.wiring.proxies


@pytest.mark.parametrize("key", ["a.*", "b.*"])
def test_a_selector_that_cannot_be_read_leaves_nothing_behind(bound: Client, key: str) -> None:
    wrong: Any = {"x-filter-jms-selector": "colour = "}
    bound.say(QueueBind("q", "x", "a.*", arguments=SELECTOR))
    before = between(bound)
    assert bound.refused(QueueBind("q", "x", key, arguments=wrong))[0] == 406
    assert between(bound) == before


def test_names_with_spaces_do_not_share_a_selector(client: Client) -> None:
    client.say(ExchangeDeclare("x y", "fanout"), ExchangeDeclare("x", "fanout"))
    client.say(QueueDeclare("q"), QueueDeclare("y q"))
    client.say(QueueBind("q", "x y", arguments=SELECTOR), QueueBind("y q", "x", arguments=SELECTOR))
    publish(client, "red")
    assert (len(between(client)), got(client)) == (2, [])


def test_a_queue_and_an_exchange_of_one_name_do_not_share_a_selector(bound: Client) -> None:
    bound.say(ExchangeDeclare("q", "fanout"), ExchangeBind("q", "x", "a.*", arguments=SELECTOR))
    bound.say(QueueBind("q", "x", "a.*", arguments=SELECTOR))
    bound.say(ExchangeUnbind("q", "x", "a.*", arguments=SELECTOR))
    publish(bound, "red")
    assert got(bound) == [b"red"]


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


@pytest.mark.parametrize("key", ["", "a.#", "nul\0in it", "\0\0\0\0\0", "ä"])
@pytest.mark.parametrize("arguments", [{}, {"b": 1, "a": "x"}])
def test_a_binding_s_key_and_arguments_can_be_read_back(key: str, arguments: Any) -> None:
    assert read_identity(_identity(key, arguments), None) == (key, arguments)


@pytest.mark.parametrize(("pattern", "key"), [("q", "q"), ({"colour": "red"}, "")])
def test_a_template_s_registration_has_only_its_pattern(pattern: Any, key: str) -> None:
    assert read_identity(b"template", pattern) == (key, {})
