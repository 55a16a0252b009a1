from __future__ import annotations

from typing import Any

import pytest

from penstock.client import Delivery
from penstock.client.counters import Counters
from penstock.client.settling import Settling
from penstock.wire.amqp import BasicProperties, DeliverArgs, content_frames
from tests.client.support import story

PROPERTIES = BasicProperties.of(message_id="m")
ARGS = DeliverArgs("tag", True, "e", "k")  # noqa: FBT003 (the wire's order)


class Log(Settling):
    """A settling that only notes what it is told."""

    def __init__(self) -> None:
        super().__init__(1, "q", Counters(), lambda: None)
        self.told: list[Any] = []

    def ack(self, tag: int) -> None:
        self.told.append(("ack", tag))

    def reject(self, tag: int, *, requeue: bool) -> None:
        self.told.append(("reject", tag, requeue))

    def nack(self, tag: int, *, requeue: bool) -> None:
        self.told.append(("nack", tag, requeue))


async def answered() -> None:
    """A broker that hears."""


def delivery(log: Log) -> Delivery:
    return Delivery(log, 7, ARGS, PROPERTIES, content_frames(1, PROPERTIES, b"body", 4096))


def test_it_tells_what_came() -> None:
    it = delivery(Log())
    assert (it.body, it.queue, it.exchange, it.routing_key, it.redelivered) == (b"body", "q", "e", "k", True)
    assert it.body is it.body
    assert it.properties.message_id == "m"
    assert not it.is_lost
    assert repr(it) == "<Delivery of 'q' from 'e' with 'k', in hand>"


def test_it_is_lost_with_its_channel() -> None:
    log = Log()
    it = delivery(log)
    log.lose()
    assert it.is_lost


def test_a_body_that_came_in_pieces_is_given_as_it_is() -> None:
    body = b"large"
    assert Delivery(Log(), 7, ARGS, PROPERTIES, b"", body).body is body


@pytest.mark.parametrize(
    ("verb", "arguments", "told"),
    [
        ("ack", (), ("ack", 7)),
        ("reject", (), ("reject", 7, False)),
        ("reject", (True,), ("reject", 7, True)),
        ("nack", (), ("nack", 7, True)),
        ("nack", (False,), ("nack", 7, False)),
    ],
)
def test_it_is_settled_once(verb: str, arguments: tuple[bool, ...], told: tuple[Any, ...]) -> None:
    log = Log()
    it = delivery(log)
    assert not it.is_settled
    getattr(it, verb)(*arguments)
    it.ack()
    it.reject()
    it.nack()
    assert log.told == [told]
    assert it.is_settled
    assert repr(it).endswith("settled>")


@story
async def test_an_ack_that_must_be_known_waits_for_the_broker() -> None:
    log = Log()
    log.round_trip = answered
    it = delivery(log)
    assert await it.ack_for_certain()
    assert log.told == [("ack", 7)]
    assert not await it.ack_for_certain(), "it was settled before"


@story
async def test_of_a_broker_that_cannot_be_asked_nothing_is_certain() -> None:
    assert not await delivery(Log()).ack_for_certain()
