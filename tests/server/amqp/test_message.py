from __future__ import annotations

from penstock.server.amqp.bodies import LargeBodies
from penstock.server.amqp.message import LargeMessage
from penstock.store import MemoryStore
from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.content import properties_of
from tests.server.amqp.letters import DEATHS, ROUTE, large, small


def test_everything_is_read_from_the_frames() -> None:
    message = small(headers={"a": 1})
    assert (message.body, message.size, message.properties) == (b"hello", 5, {"a": 1})
    assert (message.destination, message.proxy, message.large) == ("key", "exchange", None)
    assert small().properties == {}


def test_a_dead_letter_has_the_same_body_behind_other_properties() -> None:
    letter = small().reborn("dead", None, DEATHS)
    assert (letter.body, letter.destination, letter.proxy) == (b"hello", "key", "dead")
    assert letter.terms.expires_in is None
    assert "x-death" in letter.properties
    assert "x-death" in (properties_of(letter.frames).headers or {})
    assert small().reborn("dead", "other", DEATHS).destination == "other"


def test_a_message_may_be_shown_with_other_properties() -> None:
    shown = small().shown_with(BasicProperties.of(headers={"b": 2}))
    assert (shown.body, shown.properties, shown.route) == (b"hello", {"b": 2}, ROUTE)


def test_a_large_body_is_not_among_the_frames() -> None:
    bodies = LargeBodies(MemoryStore().contents)
    message = large(bodies)
    assert (message.body, message.size, message.properties) == (b"hello", 5, {"a": 1})
    assert b"hello" not in message.frames
    letter = message.reborn("dead", None, DEATHS)
    assert isinstance(letter, LargeMessage)
    assert (letter.large, letter.size) == (message.large, 5)
    assert letter.deaths
    bodies.close()
