"""Declaring, deleting and binding exchanges, and the names that are the broker's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conversations.line import Channel

DEFAULT = (403, "ACCESS_REFUSED - operation not permitted on the default exchange")


def inequivalent(argument: str, name: str, what: str) -> tuple[int, str]:
    text = f"PRECONDITION_FAILED - inequivalent arg '{argument}' for exchange '{name}' in vhost '/': {what}"
    return 406, text


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("amq.direct", "direct"),
        ("amq.fanout", "fanout"),
        ("amq.topic", "topic"),
        ("amq.headers", "headers"),
        ("amq.match", "headers"),
    ],
)
def test_some_exchanges_are_always_there(channel: Channel, name: str, kind: str) -> None:
    channel.call("exchange.declare", exchange=name, type=kind, durable=True)


def test_declaring_again_the_same_changes_nothing(channel: Channel, name: str) -> None:
    for _ in range(2):
        channel.exchange(name, "topic", arguments={"alternate-exchange": "amq.fanout"})


@pytest.mark.parametrize(
    ("change", "argument", "what"),
    [
        ({"type": "fanout"}, "type", "received 'fanout' but current is 'direct'"),
        ({"durable": True}, "durable", "received 'true' but current is 'false'"),
        ({"auto_delete": False}, "auto_delete", "received 'false' but current is 'true'"),
        ({"internal": True}, "internal", "received 'true' but current is 'false'"),
        (
            {"arguments": {"alternate-exchange": "x"}},
            "alternate-exchange",
            "received the value 'x' of type 'longstr' but current is none",
        ),
    ],
    ids=str,
)
def test_declaring_again_otherwise_is_refused(
    channel: Channel, name: str, change: dict[str, Any], argument: str, what: str
) -> None:
    channel.exchange(name, "direct")
    refusal = channel.refusal(
        "exchange.declare", exchange=name, **{"type": "direct", "auto_delete": True} | change
    )
    assert refusal == inequivalent(argument, name, what)


def test_a_passive_declaration_asks_whether_it_is_there(channel: Channel, name: str) -> None:
    channel.exchange(name)
    # Only the name counts.
    channel.call("exchange.declare", exchange=name, type="fanout", passive=True, durable=True)
    missing = channel.refusal("exchange.declare", exchange=f"{name}-not", passive=True)
    assert missing == (404, f"NOT_FOUND - no exchange '{name}-not' in vhost '/'")


def test_an_unknown_type_is_refused(channel: Channel, name: str, expected: Callable[[str], Any]) -> None:
    if (code := expected("unknown-exchange-type")) == 406:
        refusal = channel.refusal("exchange.declare", exchange=name, type="nope")
    else:
        channel.send("exchange.declare", exchange=name, type="nope")
        refusal = channel.line.closed_by_broker()
    assert refusal[0] == code
    assert refusal[1].endswith(" - unknown exchange type 'nope'")


@pytest.mark.parametrize("kind", ["x-prop-wild", "x-selector", "x-lossy", "x-delayed-message"])
def test_penstock_has_more_types(
    channel: Channel, name: str, kind: str, expected: Callable[[str], Any]
) -> None:
    arguments = {"x-delayed-type": "direct"} if kind == "x-delayed-message" else {}
    channel.send("exchange.declare", exchange=name, type=kind, auto_delete=True, arguments=arguments)
    if expected("more-exchange-types"):
        channel.expect("exchange.declare-ok")
    else:
        refusal = (503, f"COMMAND_INVALID - unknown exchange type '{kind}'")
        assert channel.line.closed_by_broker() == refusal


def test_an_alternate_exchange_is_told_by_its_name(channel: Channel, name: str) -> None:
    arguments = {"alternate-exchange": 5}
    refusal = channel.refusal("exchange.declare", exchange=name, type="direct", arguments=arguments)
    text = "PRECONDITION_FAILED - invalid type 'signedint' for arg 'alternate-exchange'"
    assert refusal == (406, f"{text} in exchange '{name}' in vhost '/'")


def test_names_of_the_broker_are_reserved(channel: Channel, name: str) -> None:
    assert channel.refusal("exchange.declare", exchange=f"amq.{name}", type="direct") == (
        403,
        f"ACCESS_REFUSED - exchange name 'amq.{name}' contains reserved prefix 'amq.*'",
    )


def test_the_brokers_exchanges_are_not_deleted(channel: Channel) -> None:
    assert channel.refusal("exchange.delete", exchange="amq.direct") == (
        403,
        "ACCESS_REFUSED - deletion of system exchange 'amq.direct' in vhost '/' not allowed",
    )


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("exchange.declare", {"exchange": "", "type": "direct"}),
        ("exchange.declare", {"exchange": "", "passive": True}),
        ("exchange.delete", {"exchange": ""}),
        ("exchange.bind", {"source": "", "destination": "amq.fanout"}),
        ("exchange.bind", {"source": "amq.fanout", "destination": ""}),
        ("queue.bind", {"exchange": "", "queue": "{queue}", "key": "k"}),
        ("queue.unbind", {"exchange": "", "queue": "{queue}", "key": "{queue}"}),
    ],
)
def test_the_default_exchange_is_left_alone(channel: Channel, method: str, arguments: dict[str, Any]) -> None:
    queue = channel.queue()
    told = {key: queue if value == "{queue}" else value for key, value in arguments.items()}
    assert channel.refusal(method, **told) == DEFAULT


def test_the_default_exchange_knows_each_queue_by_its_name(channel: Channel, name: str) -> None:
    channel.queue(name)
    channel.publish("hello", name)
    got = channel.get(name)
    assert (got.body, got.exchange, got.key) == (b"hello", "", name)


def test_deleting_what_is_not_there_is_fine(channel: Channel, name: str) -> None:
    channel.call("exchange.delete", exchange=name)


def test_an_exchange_in_use_is_not_deleted_if_unused(channel: Channel, name: str) -> None:
    channel.exchange(name)
    channel.bind(channel.queue(), name, "k")
    assert channel.refusal("exchange.delete", exchange=name, if_unused=True) == (
        406,
        f"PRECONDITION_FAILED - exchange '{name}' in vhost '/' in use",
    )


def test_a_deleted_exchange_takes_its_bindings_along(channel: Channel, name: str) -> None:
    channel.exchange(name)
    queue = channel.queue()
    channel.bind(queue, name, "k")
    channel.call("exchange.delete", exchange=name)
    channel.exchange(name)
    channel.publish("gone", "k", exchange=name)
    assert channel.drain(queue) == []


def test_an_auto_delete_exchange_goes_with_its_last_binding(channel: Channel, name: str) -> None:
    channel.exchange(name, "fanout", auto_delete=True)
    first, second = channel.queue(), channel.queue()
    channel.bind(first, name)
    channel.bind(second, name)
    channel.call("queue.unbind", queue=first, exchange=name)
    channel.call("exchange.declare", exchange=name, passive=True)
    channel.call("queue.delete", queue=second)
    assert channel.refusal("exchange.declare", exchange=name, passive=True)[0] == 404


def test_an_internal_exchange_is_not_published_to(channel: Channel, name: str) -> None:
    channel.exchange(name, internal=True)
    channel.publish("no", exchange=name)
    assert channel.closed_by_broker() == (
        403,
        f"ACCESS_REFUSED - cannot publish to internal exchange '{name}' in vhost '/'",
    )


def test_an_internal_exchange_passes_on_what_it_is_bound_to(channel: Channel, name: str) -> None:
    channel.exchange(f"{name}-in", "fanout")
    channel.exchange(f"{name}-internal", "fanout", internal=True)
    queue = channel.queue()
    channel.call("exchange.bind", source=f"{name}-in", destination=f"{name}-internal")
    channel.bind(queue, f"{name}-internal")
    channel.publish("through", exchange=f"{name}-in")
    got = channel.get(queue)
    assert (got.body, got.exchange) == (b"through", f"{name}-in")


def test_what_finds_no_queue_goes_to_the_alternate_exchange(channel: Channel, name: str) -> None:
    channel.exchange(f"{name}-else", "fanout")
    channel.exchange(name, "direct", arguments={"alternate-exchange": f"{name}-else"})
    queue, other = channel.queue(), channel.queue()
    channel.bind(queue, name, "known")
    channel.bind(other, f"{name}-else")
    channel.publish("one", "known", exchange=name)
    channel.publish("two", "unknown", exchange=name, mandatory=True)
    assert channel.drain(queue) == ["one"]
    got = channel.get(other)
    assert (got.body, got.exchange, got.key) == (b"two", name, "unknown")


def test_a_missing_alternate_exchange_makes_messages_unroutable(channel: Channel, name: str) -> None:
    channel.exchange(name, arguments={"alternate-exchange": f"{name}-not-there"})
    channel.publish("lost", "k", exchange=name, mandatory=True)
    assert channel.expect("basic.return").code == 312


def test_an_exchange_feeds_another(channel: Channel, name: str) -> None:
    channel.exchange(f"{name}-a", "topic")
    channel.exchange(f"{name}-b", "fanout")
    queue = channel.queue()
    channel.bind(queue, f"{name}-b")
    binding = {"source": f"{name}-a", "destination": f"{name}-b", "key": "x.#"}
    channel.call("exchange.bind", **binding)
    channel.publish("in", "x.y", exchange=f"{name}-a")
    channel.publish("out", "z.y", exchange=f"{name}-a")
    assert channel.drain(queue) == ["in"]
    channel.call("exchange.bind", source=f"{name}-a", destination="amq.fanout", key="keeps.it")
    channel.call("exchange.unbind", **binding)
    channel.publish("in", "x.y", exchange=f"{name}-a")
    assert channel.drain(queue) == []


def test_exchanges_in_a_circle_deliver_once(channel: Channel, name: str) -> None:
    first, second = channel.exchange(f"{name}-a", "fanout"), channel.exchange(f"{name}-b", "fanout")
    channel.call("exchange.bind", source=first, destination=second)
    channel.call("exchange.bind", source=second, destination=first)
    queue = channel.queue()
    channel.bind(queue, first)
    channel.bind(queue, second)
    channel.publish("once", exchange=first)
    assert channel.drain(queue) == ["once"]


@pytest.mark.parametrize("missing", ["source", "destination"])
def test_binding_needs_both_exchanges(channel: Channel, name: str, missing: str) -> None:
    ends = {"source": "amq.fanout", "destination": "amq.fanout"} | {missing: name}
    assert channel.refusal("exchange.bind", **ends) == (404, f"NOT_FOUND - no exchange '{name}' in vhost '/'")


def test_unbinding_what_is_not_bound_is_fine(channel: Channel, name: str) -> None:
    channel.call("exchange.unbind", source="amq.fanout", destination="amq.direct", key=name)
    channel.call("exchange.unbind", source=name, destination=f"{name}-too", key="k")


def test_nowait_is_not_answered(channel: Channel, name: str) -> None:
    channel.send("exchange.declare", exchange=name, type="direct", nowait=True)
    channel.send("exchange.bind", source=name, destination="amq.fanout", nowait=True)
    channel.send("exchange.unbind", source=name, destination="amq.fanout", nowait=True)
    channel.send("exchange.delete", exchange=name, nowait=True)
    assert channel.refusal("exchange.declare", exchange=name, passive=True)[0] == 404
