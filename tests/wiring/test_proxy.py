"""What all proxies do alike, shown with a class that is not part of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from penstock.errors import BadConfiguration, BadPattern
from penstock.wiring import proxy as proxy_module
from penstock.wiring.message import Message
from penstock.wiring.proxy import Proxy
from penstock.wiring.registration import Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.wiring.registration import Registration


class Place(Target):
    detour = False


class LongerThan(Proxy):
    """From outside: routes messages whose body is longer than a registration says."""

    class_name = "LONGER-THAN"
    property_defaults: ClassVar[Mapping[str, Any]] = {"unit": 1}

    def normalise(self, pattern: Any) -> int:
        try:
            return int(pattern)
        except ValueError:
            raise self.refuse(pattern, "the pattern is a number of bytes") from None

    def match(self, message: Message, destination: str) -> Sequence[Registration]:
        registrations = self.registrations.values()
        return [found for found in registrations if self.why_not(found.pattern, message, "") is None]

    def why_not(self, pattern: Any, message: Message, destination: str) -> str | None:
        length = len(message.body) // self.properties["unit"]
        return None if length > pattern else f"{length} is not more than {pattern}"


class ByLength(LongerThan):
    """From outside, and deciding by the destination alone."""

    by_destination = True

    def why_not(self, pattern: Any, message: Message, destination: str) -> str | None:
        return None


class Renamed(LongerThan):
    class_name = "RENAMED"


# A class from outside


def test_a_class_from_outside_registers_and_routes() -> None:
    proxy = LongerThan("by size")
    small, large = Place(), Place()
    proxy.register(small, "1")
    proxy.register(large, 100)
    assert list(proxy.route(Message(bytes(50)), "")) == [small]
    assert list(proxy.route(Message(bytes(500)), "")) == [small, large]
    assert list(proxy.route(Message(b""), "")) == []


def test_its_properties_have_defaults_and_can_be_set() -> None:
    assert LongerThan("a").properties == {"unit": 1}
    proxy = LongerThan("a", unit=1000)
    proxy.register(Place(), 1)
    assert not proxy.route(Message(bytes(1500)), "")
    assert proxy.route(Message(bytes(2500)), "")


@pytest.mark.parametrize(
    ("wanted", "known"),
    [
        (LongerThan, "it knows: unit"),
        (type("Plain", (LongerThan,), {"property_defaults": {}}), "it knows: none"),
    ],
)
def test_an_unknown_property_is_refused_with_those_it_knows(wanted: type[Proxy], known: str) -> None:
    with pytest.raises(BadConfiguration, match=f"LONGER-THAN proxy has no property colour, size; {known}"):
        wanted("a", size=1, colour=2)


def test_a_pattern_is_refused_by_class_name_and_reason() -> None:
    proxy = LongerThan("by size")
    with pytest.raises(
        BadPattern, match="LONGER-THAN proxy 'by size' cannot register 'x': the pattern is a number"
    ):
        proxy.register(Place(), "x")
    assert proxy.registrations == {}


def test_what_every_proxy_may_be_told() -> None:
    plain = LongerThan("a")
    assert (plain.persistent, plain.dynamic, plain.internal, plain.alternate) == (False, False, False, None)
    told = LongerThan("a", persistent=True, dynamic=True, internal=True, alternate="b")
    assert (told.persistent, told.dynamic, told.internal, told.alternate) == (True, True, True, "b")


def test_a_proxy_shows_its_name_class_and_registrations() -> None:
    proxy = LongerThan("by size")
    registration = proxy.register(Place(), 5)
    assert repr(proxy) == "<Proxy 'by size' LONGER-THAN, 1 registrations>"
    assert repr(registration) == "<Registration 5 at 'by size': 1 targets>"


def test_in_a_stack_a_proxy_passes_what_its_pattern_asks_for() -> None:
    proxy = LongerThan("by size")
    assert proxy.passes(5, Message(bytes(6)), "")
    assert not proxy.passes(5, Message(bytes(5)), "")
    assert not proxy.loses


def test_what_differs_between_two_proxies_is_told_in_words() -> None:
    proxy = LongerThan("a", unit=2)
    assert proxy.differences(LongerThan("a", unit=2)) == []
    other = LongerThan("a", persistent=True, alternate="b")
    assert proxy.differences(other) == [
        "persistent is False, not True",
        "alternate is None, not 'b'",
        "unit is 2, not 1",
    ]
    assert proxy.differences(Renamed("a")) == [
        "its class is 'LONGER-THAN', not 'RENAMED'",
        "unit is 2, not 1",
    ]


# Registrations


def test_identical_registrations_are_one_with_a_list_of_targets() -> None:
    proxy = LongerThan("a")
    one, two = Place(), Place()
    assert proxy.register(one, "7") is proxy.register(two, 7)
    assert list(proxy.registrations[7].targets) == [one, two]


def test_a_target_registers_many_times_and_is_reached_once() -> None:
    proxy = LongerThan("a")
    place = Place()
    for pattern in (1, 2, 3, 3):
        proxy.register(place, pattern)
    assert len(proxy.registrations) == 3
    assert list(proxy.route(Message(bytes(10)), "")) == [place]


def test_the_last_target_takes_the_registration_with_it() -> None:
    proxy = LongerThan("a")
    one, two = Place(), Place()
    registration = proxy.register(one, 7)
    proxy.register(two, 7)
    proxy.unregister(one, registration)
    assert list(proxy.route(Message(bytes(10)), "")) == [two]
    proxy.unregister(two, registration)
    assert proxy.registrations == {}
    assert not proxy.route(Message(bytes(10)), "")


def test_proxies_register_with_proxies_and_are_counted_as_detours() -> None:
    upper, lower = LongerThan("upper"), LongerThan("lower")
    registration = upper.register(lower, 1)
    upper.register(lower, 1)
    upper.register(Place(), 1)
    assert upper.detours == 1
    assert next(iter(upper.route(Message(bytes(2)), ""))) is lower
    upper.unregister(lower, registration)
    assert upper.detours == 0


# Remembered ways


def test_a_way_is_remembered_where_the_destination_alone_decides() -> None:
    proxy = ByLength("a")
    place = Place()
    proxy.register(place, 1)
    assert proxy.known_ways == {}
    targets = proxy.route(Message(b""), "there")
    assert proxy.known_ways == {"there": targets}
    assert LongerThan("b").known_ways is None


def test_ways_are_forgotten_when_the_wiring_changes() -> None:
    proxy = ByLength("a")
    one, two = Place(), Place()
    registration = proxy.register(one, 1)
    for change in (
        lambda: proxy.register(two, 1),
        lambda: proxy.unregister(two, registration),
        lambda: proxy.unregister(one, registration),
        proxy.forget_ways,
    ):
        proxy.route(Message(b""), "there")
        assert proxy.known_ways
        change()
        assert proxy.known_ways == {}


def test_the_memory_of_ways_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_module, "REMEMBERED", 3)
    proxy = ByLength("a")
    for number in range(10):
        proxy.route(Message(b""), str(number))
        assert len(proxy.known_ways or ()) <= 3
    assert "9" in (proxy.known_ways or ())
