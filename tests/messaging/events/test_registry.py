from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock.errors import InvalidMessage, MessagingError, UnknownEvent
from penstock.messaging.events import Registry, event, upcast


@upcast("ThreadCreated", 1)
def from_1(content: dict[str, Any]) -> dict[str, Any]:
    return {"id": int(content["id"]), "name": content["name"]}


@upcast("ThreadCreated", 2)
def from_2(content: dict[str, Any]) -> dict[str, Any]:
    return {"id": content["id"], "title": content["name"]}


@event("ThreadCreated", version=3, upcasters=[from_2])
class ThreadCreated(msgspec.Struct):
    id: int
    title: str


@event("ThreadCreated")
class Impostor(msgspec.Struct):
    id: int


@event("ThreadDeleted")
class ThreadDeleted(msgspec.Struct):
    id: int


@pytest.fixture
def registry() -> Registry:
    return Registry(from_1, ThreadCreated, ThreadDeleted)


def test_an_event_goes_out_and_comes_in(registry: Registry) -> None:
    encoded = registry.encode(ThreadCreated(1, "hello"))
    assert encoded == ("ThreadCreated", 3, b'{"id":1,"title":"hello"}')
    assert registry.decode(*encoded) == ThreadCreated(1, "hello")


def test_older_versions_are_brought_up_step_by_step(registry: Registry) -> None:
    assert registry.decode("ThreadCreated", 1, b'{"id":"7","name":"hi"}') == ThreadCreated(7, "hi")
    assert registry.decode("ThreadCreated", 2, b'{"id":7,"name":"hi"}') == ThreadCreated(7, "hi")
    assert registry.oldest_version("ThreadCreated") == 1


@pytest.mark.parametrize(
    ("name", "version", "told"),
    [
        ("ThreadCreeted", 1, "event 'ThreadCreeted' is not declared here"),
        ("", 1, "the message has no type"),
        ("ThreadCreated", 4, "ThreadCreated is known here in version 3, not 4"),
        ("ThreadCreated", 0, "ThreadCreated is known here in version 3, not 0"),
    ],
)
def test_what_nobody_declared_is_not_read(registry: Registry, name: str, version: int, told: str) -> None:
    with pytest.raises(UnknownEvent, match=told):
        registry.decode(name, version, b'{"id":1,"title":"x"}')


def test_a_gap_between_versions_is_told() -> None:
    registry = Registry(ThreadCreated)
    assert registry.oldest_version("ThreadCreated") == 2
    with pytest.raises(UnknownEvent, match="version 1 is too old: no up-caster from version 1 is known"):
        registry.decode("ThreadCreated", 1, b"{}")


@pytest.mark.parametrize(
    ("version", "body", "told"),
    [
        (1, b"[1]", "ThreadCreated version 1: Expected `object`, got `array`"),
        (1, b"nonsense", "ThreadCreated version 1: JSON is malformed"),
        (1, b'{"id":"7"}', "up-casting from version 1 failed: KeyError: 'name'"),
        (2, b'{"id":7,"name":8}', "ThreadCreated version 3: Expected `str`, got `int` - at `\\$.title`"),
    ],
)
def test_an_old_message_that_cannot_be_brought_up(
    registry: Registry, version: int, body: bytes, told: str
) -> None:
    with pytest.raises(InvalidMessage, match=told):
        registry.decode("ThreadCreated", version, body)


def test_an_upcaster_that_makes_no_json_is_at_fault() -> None:
    broken = upcast("ThreadDeleted", 1)(lambda _: {"id": object()})
    newer: type[Any] = type("Newer", (ThreadDeleted,), {})
    event("ThreadDeleted", version=2, upcasters=[broken])(newer)
    with pytest.raises(InvalidMessage, match="up-casting from version 1 failed: TypeError"):
        Registry(newer).decode("ThreadDeleted", 1, b"{}")


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "", None])
def test_json_by_any_of_its_names(registry: Registry, content_type: str | None) -> None:
    assert registry.decode("ThreadDeleted", 1, b'{"id":1}', content_type) == ThreadDeleted(1)


def test_what_is_no_json_is_not_read(registry: Registry) -> None:
    with pytest.raises(InvalidMessage, match="application/json, and this message is application/x-python"):
        registry.decode("ThreadDeleted", 1, b'{"id":1}', "application/x-python-serialize")


def test_a_foreign_class_is_not_written(registry: Registry) -> None:
    with pytest.raises(UnknownEvent, match="Impostor is an event, but not declared here"):
        registry.encode(Impostor(1))
    with pytest.raises(UnknownEvent, match=r"dict is no event: declare it with @event\('dict'\)"):
        registry.encode({})


def test_a_name_has_one_class(registry: Registry) -> None:
    registry.add(ThreadCreated, from_2)
    with pytest.raises(MessagingError, match="event ThreadCreated is ThreadCreated and cannot be Impostor"):
        registry.add(Impostor)


def test_upcasters_that_make_no_sense(registry: Registry) -> None:
    with pytest.raises(MessagingError, match="from version 3 leads nowhere: version 3 is the newest"):
        registry.add(upcast("ThreadCreated", 3)(dict))
    with pytest.raises(MessagingError, match="ThreadCreated has two up-casters from version 2"):
        registry.add(upcast("ThreadCreated", 2)(dict))


def test_a_part_of_it_knows_no_more_than_that_but_learns_with_the_whole() -> None:
    registry = Registry(ThreadCreated, ThreadDeleted)
    part = registry.only(ThreadCreated)
    with pytest.raises(UnknownEvent):
        part.decode("ThreadDeleted", 1, b'{"id":1}')
    registry.add(from_1)
    assert part.decode("ThreadCreated", 1, b'{"id":"7","name":"hi"}') == ThreadCreated(7, "hi")
    with pytest.raises(UnknownEvent, match="ThreadDeleted is an event, but not declared here"):
        part.only(ThreadDeleted)


def test_what_it_knows_can_be_looked_up(registry: Registry) -> None:
    assert [declared.name for declared in registry] == ["ThreadCreated", "ThreadDeleted"]
    assert len(registry) == 2
    assert "ThreadDeleted" in registry
    assert ThreadDeleted in registry
    assert "ThreadUpdated" not in registry
    assert registry.event_type("ThreadDeleted").python_type is ThreadDeleted
    assert registry.schema("ThreadDeleted")["$defs"]["ThreadDeleted"]["required"] == ["id"]
    assert repr(registry) == "<Registry ThreadCreated 3, ThreadDeleted 1>"
    with pytest.raises(UnknownEvent):
        registry.schema("ThreadUpdated")
