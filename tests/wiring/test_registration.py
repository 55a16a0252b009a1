"""Registrations: a pattern at a proxy and everyone who asked with it."""

from __future__ import annotations

import pytest

from penstock.wiring.proxies.dest_name import DestName
from penstock.wiring.registration import Registration, Target


class Place(Target):
    detour = False


def test_a_registration_knows_its_proxy_pattern_and_targets() -> None:
    proxy = DestName("queue")
    registration = Registration(proxy, "orders")
    assert registration.proxy is proxy
    assert registration.pattern == "orders"
    assert registration.targets == {}


def test_targets_keep_the_order_they_came_in_each_once() -> None:
    registration = Registration(DestName("queue"), "orders")
    first, second = Place(), Place()
    for target in (first, second, first):
        registration.targets[target] = None
    assert list(registration.targets) == [first, second]


def test_a_registration_shows_itself_as_its_proxy_would_describe_it() -> None:
    registration = DestName("queue").register(Place(), "orders")
    assert repr(registration) == "<Registration 'orders' at 'queue': 1 targets>"


def test_registrations_are_themselves_not_their_patterns() -> None:
    # The proxy makes identical registrations one; two objects are two.
    proxy = DestName("queue")
    assert Registration(proxy, "a") != Registration(proxy, "a")
    with pytest.raises(AttributeError):
        Registration(proxy, "a").something = 1  # type: ignore[attr-defined]
