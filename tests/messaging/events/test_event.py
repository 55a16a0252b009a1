from __future__ import annotations

import msgspec
import pytest

from penstock.errors import MessagingError
from penstock.messaging.events import event, event_type, is_event


@event("ThreadCreated", version=2)
class ThreadCreated(msgspec.Struct):
    id: int


class Special(ThreadCreated):
    more: int = 0


def test_a_class_is_marked_and_stays_itself() -> None:
    declared = event_type(ThreadCreated)
    assert (declared.name, declared.version, declared.python_type) == ("ThreadCreated", 2, ThreadCreated)
    assert is_event(ThreadCreated)
    assert ThreadCreated(1).id == 1


def test_a_subclass_is_no_event_by_inheritance() -> None:
    assert not is_event(Special)
    with pytest.raises(MessagingError, match=r"Special is no event: declare it with @event\('Special'\)"):
        event_type(Special)


@pytest.mark.parametrize("name", ["", "a b", "thread.*", "#", ".a", "a.", "a..b", "x" * 201, "ä"])
def test_a_name_must_do_as_a_routing_key(name: str) -> None:
    with pytest.raises(MessagingError, match="an event cannot be called"):
        event(name)


@pytest.mark.parametrize("name", ["ThreadCreated", "thread.created", "urn:x-1:a_b", "x" * 200])
def test_names_that_can_be(name: str) -> None:
    event(name)


@pytest.mark.parametrize("version", [0, -1, True, 1.5, "1"])
def test_versions_are_whole_numbers_from_1_on(version: int) -> None:
    with pytest.raises(MessagingError, match="whole numbers from 1 on"):
        event("ThreadCreated", version=version)
