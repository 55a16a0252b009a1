from __future__ import annotations

from typing import Any

import pytest

from penstock.server.amqp.arguments import is_quorum, priority_of, queue_changes
from penstock.server.amqp.errors import ChannelFault
from penstock.wiring import DeadLetters, Overflow

Q = "queue 'q' in vhost '/'"


def changes(arguments: dict[str, Any], limit: int | None = 20) -> dict[str, Any]:
    return queue_changes(arguments, owner=Q, delivery_limit=limit)


def refusal(arguments: dict[str, Any]) -> str:
    with pytest.raises(ChannelFault) as caught:
        changes(arguments)
    assert caught.value.code == 406
    return caught.value.detail


def test_a_queue_that_asks_for_nothing_keeps_the_order() -> None:
    assert changes({}) == {"most_urgent": 255}


@pytest.mark.parametrize(
    ("argument", "value", "name", "meaning"),
    [
        ("x-message-ttl", 0, "expires_in", 0.0),
        ("x-message-ttl", 1500, "expires_in", 1.5),
        ("x-expires", 1, "unused_in", 0.001),
        ("x-max-length", 0, "max_length", 0),
        ("x-max-length-bytes", 7, "max_bytes", 7),
        ("x-overflow", "reject-publish-dlx", "overflow", Overflow.DEAD_LETTER),
        ("x-max-priority", 5, "most_urgent", 250),
        ("x-single-active-consumer", True, "single_active", True),
        ("x-consumer-timeout", 60_000, "lease_in", 60.0),
        ("x-max-consumers", 2, "max_consumers", 2),
        ("x-dead-letter-exchange", "dlx", "dead_letters", DeadLetters("dlx")),
    ],
)
def test_an_argument_sets_a_property(argument: str, value: object, name: str, meaning: object) -> None:
    assert changes({argument: value})[name] == meaning


def test_a_dead_letter_key_comes_with_its_exchange() -> None:
    arguments = {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": "k"}
    assert changes(arguments)["dead_letters"] == DeadLetters("", "k")


@pytest.mark.parametrize(
    ("argument", "value", "why"),
    [
        ("x-message-ttl", True, '"expected integer, got bool"'),
        ("x-message-ttl", -1, "{value_negative,-1}"),
        ("x-message-ttl", 2**40, "{value_too_large,1099511627776}"),
        ("x-expires", 0, "{value_zero,0}"),
        ("x-max-length", "5", '"expected integer, got longstr"'),
        ("x-overflow", "nope", "invalid_overflow"),
        ("x-overflow", 5, "{unacceptable_type,signedint}"),
        ("x-max-priority", 300, "{max_value_exceeded,300}"),
        ("x-single-active-consumer", 1, "{unacceptable_type,signedint}"),
        ("x-queue-type", "stream", "\"unsupported queue type 'stream'\""),
        ("x-dead-letter-routing-key", "k", "routing_key_but_no_dlx_defined"),
        ("x-template", 5, "{unacceptable_type,signedint}"),
    ],
)
def test_a_value_that_cannot_be_is_refused(argument: str, value: object, why: str) -> None:
    assert refusal({argument: value}) == f"invalid arg '{argument}' for {Q}: {why}"


def test_a_dead_letter_exchange_is_a_name() -> None:
    told = f"invalid type 'signedint' for arg 'x-dead-letter-exchange' in {Q}"
    assert refusal({"x-dead-letter-exchange": 5}) == told


@pytest.mark.parametrize(
    ("arguments", "argument", "kind"),
    [
        ({"x-delivery-limit": 5}, "x-delivery-limit", "classic"),
        ({"x-queue-type": "quorum", "x-max-priority": 5}, "x-max-priority", "quorum"),
    ],
)
def test_some_arguments_are_of_one_type_of_queue(arguments: Any, argument: str, kind: str) -> None:
    assert refusal(arguments) == f"invalid arg '{argument}' for {Q} of queue type rabbit_{kind}_queue"


@pytest.mark.parametrize(
    ("more", "limit", "found"),
    [
        ({}, 20, 20),
        ({}, None, None),
        ({"x-delivery-limit": 3}, 20, 3),
        ({"x-delivery-limit": -1}, 20, None),
    ],
)
def test_a_quorum_queue_has_a_delivery_limit(more: Any, limit: int | None, found: int | None) -> None:
    arguments = {"x-queue-type": "quorum", **more}
    assert is_quorum(arguments)
    assert changes(arguments, limit)["delivery_limit"] == found


def test_a_template_says_itself_what_is_urgent() -> None:
    assert changes({"x-template": "work"}) == {}


def test_a_consumer_has_a_priority() -> None:
    assert priority_of({}, owner=Q) == 0
    assert priority_of({"x-priority": -3}, owner=Q) == -3
    with pytest.raises(ChannelFault, match="invalid arg 'x-priority' for queue 'q'"):
        priority_of({"x-priority": "high"}, owner=Q)
