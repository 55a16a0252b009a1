from __future__ import annotations

from typing import Any

import pytest

from penstock.server.amqp import terms
from penstock.server.amqp.errors import ChannelFault
from penstock.server.amqp.terms import LONGEST_MS, copies, read_terms
from penstock.wire.amqp import BasicProperties
from penstock.wiring import Terms


def read(**properties: Any) -> Terms:
    return read_terms(BasicProperties.of(**properties))


def refusal(**properties: Any) -> str:
    with pytest.raises(ChannelFault) as caught:
        read(**properties)
    assert caught.value.code == 406
    return caught.value.detail


@pytest.mark.parametrize(
    ("properties", "meaning"),
    [
        ({}, {}),
        ({"delivery_mode": 1}, {}),
        ({"delivery_mode": 2}, {"persistent": True}),
        ({"priority": 5}, {"priority": 250}),
        ({"expiration": "1500"}, {"expires_in": 1.5}),
        ({"expiration": "+0"}, {"expires_in": 0.0}),
        ({"headers": {"x-delay": 1500}}, {"delay_in": 1.5}),
        ({"headers": {"x-delay": -5}}, {}),
        ({"headers": {"x-delay": True}}, {}),
        ({"headers": {"x-group": "g"}}, {"group": "g"}),
        ({"headers": {"x-group": 5}}, {}),
        ({"headers": {"CC": ["a", 5], "BCC": ["b"]}}, {"also": ("a", "b")}),
    ],
    ids=str,
)
def test_properties_are_terms(properties: Any, meaning: Any) -> None:
    assert read(**properties) == Terms(**{"priority": 255} | meaning)


def test_the_same_terms_are_the_same_object(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(priority=3) is read(priority=3, message_id="other")
    assert read(delivery_mode=2) is read(delivery_mode=2, message_id="other")
    assert read(delivery_mode=2) is read(delivery_mode=2, priority=0)
    assert read() is read(delivery_mode=1) is read(headers={"for": "somebody else"})
    monkeypatch.setattr(terms, "REMEMBERED", 0)
    assert read(priority=3) == read(priority=3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("abc", "no_integer"),
        ("", "no_integer"),
        (" 10", "no_integer"),
        ("٣", "no_integer"),  # a digit, but not to Erlang
        ("1.5", '{leftover_string,".5"}'),
        ("-1", "{value_negative,-1}"),
        (str(LONGEST_MS + 1), f"{{value_too_large,{LONGEST_MS + 1}}}"),
    ],
)
def test_an_expiration_is_a_number_of_milliseconds(text: str, why: str) -> None:
    assert refusal(expiration=text) == f"invalid expiration '{text}': {why}"


def test_a_delivery_mode_is_one_or_two() -> None:
    assert refusal(delivery_mode=7) == "invalid message: {delivery_mode_unknown,7}"


def test_copies_are_a_list() -> None:
    told = 'invalid message: {unacceptable_type_in_header,"BCC",void}'
    assert refusal(headers={"BCC": None}) == told
    assert copies({}, "CC") == ()


@pytest.mark.parametrize(
    ("value", "lease_in"), [(7, 7.0), (0.5, 0.5), (0, None), (-1, None), (True, None), ("7", None)]
)
def test_a_message_may_say_how_long_a_consumer_has_for_it(value: Any, lease_in: float | None) -> None:
    assert read_terms(BasicProperties.of(headers={"x-ttr": value})).lease_in == lease_in
