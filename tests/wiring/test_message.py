"""Messages: bodies by reference, shared terms, and rebirth on the way to a dead-letter home."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING, Any

import pytest

from penstock.wiring.death import Death, Reason
from penstock.wiring.message import PERSISTENT, PLAIN, Message, Terms

if TYPE_CHECKING:
    from collections.abc import Mapping


def test_terms_are_shared_so_nobody_can_change_them() -> None:
    with pytest.raises(FrozenInstanceError):
        PLAIN.priority = 3  # type: ignore[misc]
    assert Terms() == PLAIN
    assert Terms(persistent=True) == PERSISTENT


def test_a_message_has_defaults_and_no_references() -> None:
    message = Message(b"body")
    assert (message.destination, message.proxy, message.deaths) == ("", "", ())
    assert dict(message.properties) == {}
    assert message.terms is PLAIN
    assert message.references == 0


def test_the_body_is_the_very_object_that_was_given() -> None:
    body = bytes(1000)
    assert Message(body).body is body
    view = memoryview(body)
    assert Message(view).body is view


def test_a_message_shows_where_it_goes_and_who_holds_it() -> None:
    message = Message(b"body", "a.b")
    message.references = 2
    assert repr(message) == "<Message to 'a.b', 4 bytes, 2 references>"


def test_a_message_takes_no_room_for_more() -> None:
    with pytest.raises(AttributeError):
        Message(b"").something = 1  # type: ignore[attr-defined]


class Special(Message):
    """As fronts make them: with slots of its own, and one of its base's that it has no use for."""

    __slots__ = ("own",)

    def __init__(self, own: str) -> None:
        self.own = own
        self.destination = "a"
        self.stored = self.references = 3

    @property
    def body(self) -> bytes:  # type: ignore[override]
        return self.own.encode()


@pytest.mark.parametrize("message", [Message(b"body", "a", {"size": 1}, PERSISTENT), Special("body")])
def test_a_twin_is_the_same_message_that_nobody_refers_to(message: Message) -> None:
    twin = message.twin()
    assert (type(twin), twin.body, twin.destination) == (type(message), b"body", "a")
    assert (twin.references, twin.stored) == (0, 0)
    assert twin is not message


# Reborn


def test_a_reborn_message_carries_the_same_content() -> None:
    message = Message(b"body", "a", {"size": 1}, PERSISTENT)
    message.references = 3
    message.proxy = "topic"
    reborn = message.reborn("dead", "letters", ())
    assert reborn.body is message.body
    assert reborn.properties is message.properties
    assert reborn.terms == message.terms
    assert (reborn.destination, reborn.references) == ("letters", 0)
    assert (reborn.proxy, message.proxy) == ("dead", "topic")


@pytest.mark.parametrize("asked", [{"expires_in": 0.0}, {"expires_in": 5.0}, {"delay_in": 5.0}])
def test_a_reborn_message_neither_expires_nor_waits_again(asked: Mapping[str, Any]) -> None:
    message = Message(b"", "a", terms=Terms(priority=7, group="g", persistent=True, **asked))
    assert message.reborn("dead", "b", ()).terms == Terms(priority=7, group="g", persistent=True)


def test_with_no_destination_of_its_own_it_keeps_those_it_had() -> None:
    message = Message(b"", "a", terms=Terms(also=("b", "c")))
    kept, changed = message.reborn("dead", None, ()), message.reborn("dead", "z", ())
    assert (kept.destination, kept.terms.also) == ("a", ("b", "c"))
    assert (changed.destination, changed.terms.also) == ("z", ())


def test_it_carries_the_deaths_it_is_given_and_the_dead_one_does_not() -> None:
    death = Death(queue="q", reason=Reason.EXPIRED, proxy="", destinations=("a",), first_at=1, last_at=1)
    message = Message(b"", "a")
    assert message.reborn("dead", None, (death,)).deaths == (death,)
    assert message.deaths == ()
