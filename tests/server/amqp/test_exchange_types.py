from __future__ import annotations

from typing import Any

import pytest

from penstock.server.amqp.errors import ChannelFault
from penstock.server.amqp.exchange_types import EXCHANGE_TYPES, TYPE_OF_CLASS, exchange_type
from penstock.wiring.proxies import PROXY_CLASSES


def test_every_type_is_a_class_and_every_class_a_type() -> None:
    assert set(TYPE_OF_CLASS) == set(PROXY_CLASSES)
    assert all(exchange_type(name, {}) is found for name, found in EXCHANGE_TYPES.items())


def test_a_delayed_exchange_is_what_its_argument_names() -> None:
    assert exchange_type("x-delayed-message", {"x-delayed-type": "topic"}).class_name == "DEST-WILD"


@pytest.mark.parametrize("arguments", [{}, {"x-delayed-type": "nope"}, {"x-delayed-type": 5}])
def test_a_delayed_exchange_needs_a_type(arguments: Any) -> None:
    with pytest.raises(ChannelFault, match="'x-delayed-type' must be an existing exchange type") as caught:
        exchange_type("x-delayed-message", arguments)
    assert caught.value.code == 406


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ChannelFault, match="unknown exchange type 'nope'") as caught:
        exchange_type("nope", {})
    assert caught.value.code == 406


@pytest.mark.parametrize(
    ("kind", "pattern"),
    [
        ("direct", "key"),
        ("topic", "key"),
        ("fanout", None),
        ("x-lossy", None),
        ("headers", {"a": 1, "x-match": "any"}),
        ("x-prop-wild", {"a": 1, "x-match": "any"}),
        ("x-selector", "a = 1"),
    ],
)
def test_a_binding_has_its_pattern_somewhere(kind: str, pattern: object) -> None:
    arguments: Any = {"a": 1, "x-match": "any", "x-filter-jms-selector": "a = 1"}
    assert EXCHANGE_TYPES[kind].pattern("key", arguments) == pattern


def test_a_selector_may_be_the_key() -> None:
    assert EXCHANGE_TYPES["x-selector"].pattern("a = 1", {}) == "a = 1"


@pytest.mark.parametrize(
    ("match", "why"),
    [
        ("some", 'value <<"some">>; expected all, any, all-with-x, or any-with-x'),
        (5, "type signedint (value 5); expected longstr"),
    ],
)
def test_headers_are_matched_in_four_ways(match: Any, why: str) -> None:
    with pytest.raises(ChannelFault) as caught:
        EXCHANGE_TYPES["headers"].pattern("", {"x-match": match})
    assert caught.value.detail == f"Invalid x-match field {why}"
