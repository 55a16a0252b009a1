"""FANOUT: all messages to all registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.wiring.message import Message
from penstock.wiring.proxies.fanout import Fanout
from penstock.wiring.registration import Target

if TYPE_CHECKING:
    from penstock.wiring.proxy import Proxy


class Place(Target):
    detour = False


def test_everything_goes_to_everyone() -> None:
    proxy = Fanout("all")
    places = [Place(), Place(), Place()]
    for place in places:
        proxy.register(place, "")
    assert list(proxy.route(Message(b"", "a"), "a")) == places
    assert list(proxy.route(Message(b"", "", {"b": 1}), "")) == places


def test_nobody_registered_gets_nothing() -> None:
    assert not proxy_targets(Fanout("all"))


def test_whatever_pattern_is_brought_it_is_the_same_registration() -> None:
    proxy = Fanout("all")
    place = Place()
    for pattern in (None, "", "a.#", {"a": 1}, 5):
        proxy.register(place, pattern)
    assert len(proxy.registrations) == 1
    assert proxy_targets(proxy) == [place]


def test_who_leaves_gets_nothing_more() -> None:
    proxy = Fanout("all")
    one, two = Place(), Place()
    registration = proxy.register(one, None)
    proxy.register(two, None)
    proxy.unregister(one, registration)
    assert proxy_targets(proxy) == [two]


def test_every_registration_asks_for_everything() -> None:
    proxy: Proxy = Fanout("all")
    registration = proxy.register(Place(), "a")
    assert proxy.why_not(None, Message(b""), "b") is None
    assert repr(registration) == "<Registration everything at 'all': 1 targets>"


def proxy_targets(proxy: Fanout) -> list[Target]:
    return list(proxy.route(Message(b""), ""))
