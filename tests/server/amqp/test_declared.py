from __future__ import annotations

from typing import Any

import pytest

from penstock.server.amqp.declared import ExchangeDeclared, QueueDeclared, counts_deliveries
from penstock.server.amqp.errors import ChannelFault
from penstock.wire.amqp.methods import ExchangeDeclare, QueueDeclare
from penstock.wiring import Proxy, Queue, Wiring

Arguments = dict[str, Any]


def queue(method: QueueDeclare, **changes: Any) -> Queue:
    return Wiring().create_queue("q", now=0.0, remarks=QueueDeclared.of(method).encoded(), **changes)


def exchange(method: ExchangeDeclare, **properties: Any) -> Proxy:
    remarks = ExchangeDeclared.of(method).encoded()
    return Wiring().create_proxy("x", "DEST-NAME", remarks=remarks, **properties)


def difference(found: Queue | Proxy, again: Any) -> str | None:
    """Why a declaration is not like what is there; None if it is."""
    declared: Any = QueueDeclared.of(again) if isinstance(again, QueueDeclare) else ExchangeDeclared.of(again)
    try:
        declared.demand_same(found, "'n' in vhost '/'")
    except ChannelFault as fault:
        return f"{fault.code.value} {fault.detail}".removeprefix("406 ")
    return None


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ({}, {}),
        ({"x-message-ttl": 1000}, {"x-message-ttl": 1000}),
        ({"x-nobody-knows": 1}, {"x-nobody-knows": 2}),
        ({}, {"x-queue-type": "classic"}),
        ({"x-queue-type": "classic"}, {}),
    ],
    ids=str,
)
def test_a_queue_may_be_declared_again_the_same(first: Arguments, again: Arguments) -> None:
    assert difference(queue(QueueDeclare(arguments=first)), QueueDeclare(arguments=again)) is None


@pytest.mark.parametrize(
    ("first", "again", "what"),
    [
        ({"x-max-length": 1}, {"x-max-length": 2}, "x-max-length|received '2' but current is '1'"),
        ({"x-expires": 1}, {}, "x-expires|received none but current is the value '1' of type 'signedint'"),
        ({}, {"x-overflow": "y"}, "x-overflow|received the value 'y' of type 'longstr' but current is none"),
        (
            {"x-single-active-consumer": True},
            {"x-single-active-consumer": 1},
            "x-single-active-consumer|received '1' but current is 'true'",
        ),
        (
            {},
            {"x-queue-type": "quorum"},
            "x-queue-type|received the value 'quorum' of type 'longstr' but current is none",
        ),
    ],
    ids=str,
)
def test_a_queue_is_not_declared_otherwise(first: Arguments, again: Arguments, what: str) -> None:
    name, told = what.split("|")
    found = difference(queue(QueueDeclare(arguments=first)), QueueDeclare(arguments=again))
    assert found == f"inequivalent arg '{name}' for queue 'n' in vhost '/': {told}"


def test_flags_must_be_the_same() -> None:
    plain = queue(QueueDeclare())
    told = "received 'true' but current is 'false'"
    assert (difference(plain, QueueDeclare(durable=True)) or "").endswith(told)
    assert (difference(plain, QueueDeclare(auto_delete=True)) or "").endswith(told)


def test_what_is_exclusive_is_not_durable() -> None:
    found = queue(QueueDeclare(durable=True, exclusive=True))
    assert difference(found, QueueDeclare(exclusive=True)) is None


def test_a_queue_that_amqp_did_not_make_looks_as_it_is() -> None:
    found = Wiring().create_queue("q", now=0.0, persistent=True, dynamic=True)
    assert difference(found, QueueDeclare(durable=True, auto_delete=True)) is None
    assert difference(found, QueueDeclare(auto_delete=True)) is not None


@pytest.mark.parametrize(
    ("arguments", "changes", "counts"),
    [
        ({}, {}, False),
        ({"x-queue-type": "quorum"}, {}, True),
        ({"x-template": "t"}, {"delivery_limit": 3}, True),
    ],
)
def test_some_queues_count_deliveries(arguments: Any, changes: Any, counts: bool) -> None:  # noqa: FBT001  a column
    assert counts_deliveries(queue(QueueDeclare(arguments=arguments), **changes)) is counts


@pytest.mark.parametrize(
    ("again", "told"),
    [
        ({"type": "fanout"}, "arg 'type' for exchange 'n' in vhost '/': received 'fanout' but current is 'd"),
        ({"durable": True}, "arg 'durable' for exchange 'n' in vhost '/': received 'true' but current is 'f"),
        ({"internal": True}, "'internal'"),
        ({"arguments": {"alternate-exchange": "y"}}, "'alternate-exchange'"),
        ({"arguments": {"unknown": "y"}}, None),
    ],
    ids=str,
)
def test_an_exchange_is_declared_again_the_same(again: Any, told: str | None) -> None:
    found = difference(
        exchange(ExchangeDeclare("x", "direct")), ExchangeDeclare("x", **{"type": "direct"} | again)
    )
    assert (found is None) if told is None else (told in (found or ""))


def test_an_exchange_from_the_start_looks_as_it_is() -> None:
    found = Wiring().create_proxy("amq.topic", "DEST-WILD", persistent=True, alternate="else")
    arguments: Any = {"alternate-exchange": "else"}
    assert difference(found, ExchangeDeclare("x", "topic", durable=True, arguments=arguments)) is None
    assert "type" in (difference(found, ExchangeDeclare("x", "direct", durable=True)) or "")
