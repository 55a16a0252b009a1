from __future__ import annotations

import asyncio
from math import inf

import pytest

from penstock.client import Outgoing
from penstock.client.confirms import Confirms
from penstock.client.counters import Counters
from penstock.client.publishing import Publishing
from penstock.errors import PublishLost, PublishRefused, PublishTimeout, Unroutable
from penstock.wire.amqp import BasicProperties
from penstock.wire.amqp.methods import BasicReturn
from tests.client.support import story


def message(body: str = "x", key: str = "k", exchange: str = "e", **properties: str) -> Outgoing:
    return Outgoing(exchange, key, body.encode(), BasicProperties.of(**properties))  # type: ignore[arg-type]


def batch(confirms: Confirms, *messages: Outgoing, deadline: float = 10.0) -> Publishing:
    future = asyncio.get_running_loop().create_future()
    publishing = Publishing(messages, deadline, future)
    confirms.add(publishing)
    return publishing


def kinds(publishing: Publishing) -> list[type | None]:
    return [None if error is None else type(error) for error in publishing.results]


@story
async def test_confirms_come_one_by_one_in_any_order_and_for_all_up_to_one() -> None:
    confirms = Confirms(Counters())
    first, second, third = (
        batch(confirms, message()),
        batch(confirms, message(), message()),
        batch(confirms, message()),
    )
    confirms.confirm(3, is_multiple=False)
    assert not second.future.done()
    confirms.confirm(3, is_multiple=False)  # said twice, counted once
    confirms.confirm(3, is_multiple=True)
    assert first.future.done()
    assert second.future.done()
    assert not third.future.done()
    confirms.confirm(4, is_multiple=True)
    assert third.future.done()
    assert third.results == [None]
    assert (confirms._counters.published, confirms._counters.confirmed) == (4, 4)
    assert repr(confirms) == "<Confirms 0 pending, next is 5>"


@story
async def test_a_refusal_names_one_or_all_up_to_one() -> None:
    confirms = Confirms(Counters())
    messages = batch(confirms, *[message() for _ in range(4)])
    confirms.refuse(4, is_multiple=False)
    confirms.refuse(2, is_multiple=True)
    confirms.confirm(3, is_multiple=True)
    assert kinds(messages) == [PublishRefused, PublishRefused, None, PublishRefused]
    assert confirms._counters.refused == 3


@story
async def test_a_returned_message_is_found_by_what_it_is() -> None:
    confirms = Confirms(Counters())
    a, b, c = message("same", message_id="1"), message("same", message_id="2"), message("other")
    messages = batch(confirms, a, b, c)
    confirms.give_back(BasicReturn(312, "NO_ROUTE", "e", "k"), b.properties.raw, b"same")
    confirms.confirm(3, is_multiple=True)
    assert kinds(messages) == [None, Unroutable, None]
    assert str(messages.results[1]) == (
        "312 NO_ROUTE: no queue takes messages of exchange 'e' with routing key 'k'"
    )
    assert confirms._counters.returned == 1


@story
async def test_twins_are_returned_one_after_the_other_and_changed_properties_are_forgiven() -> None:
    confirms = Confirms(Counters())
    messages = batch(confirms, message(), message(), message())
    for _ in range(2):
        confirms.give_back(BasicReturn(312, "NO_ROUTE", "e", "k"), b"\xff\xff", b"x")
    confirms.give_back(BasicReturn(312, "NO_ROUTE", "elsewhere", "k"), b"\0\0", b"x")  # none of ours
    confirms.confirm(3, is_multiple=True)
    assert kinds(messages) == [Unroutable, Unroutable, None]


@story
async def test_a_return_is_looked_for_before_the_last_one_too() -> None:
    confirms = Confirms(Counters())
    messages = batch(confirms, message("a"), message("b"))
    for body in (b"b", b"a"):
        confirms.give_back(BasicReturn(312, "NO_ROUTE", "e", "k"), BasicProperties.of().raw, body)
    confirms.confirm(2, is_multiple=True)
    assert kinds(messages) == [Unroutable, Unroutable]


@story
async def test_what_is_not_mandatory_is_never_taken_for_a_returned_one() -> None:
    confirms = Confirms(Counters())
    optional = Outgoing("e", "k", b"x", mandatory=False)
    messages = batch(confirms, optional, message())
    confirms.give_back(BasicReturn(312, "NO_ROUTE", "e", "k"), BasicProperties.of().raw, b"x")
    confirms.confirm(2, is_multiple=True)
    assert kinds(messages) == [None, Unroutable]


@story
async def test_what_is_past_its_deadline_is_given_up_and_its_late_confirm_ignored() -> None:
    confirms = Confirms(Counters())
    early, late = (
        batch(confirms, message(), message(), deadline=5.0),
        batch(confirms, message(), deadline=9.0),
    )
    assert confirms.expire(4.9) == 5.0
    confirms.confirm(1, is_multiple=False)
    assert confirms.expire(5.0) == 9.0
    assert kinds(early) == [None, PublishTimeout]
    confirms.confirm(3, is_multiple=True)
    assert late.results == [None]
    assert confirms.expire(100.0) == inf
    assert confirms._counters.timed_out == 1


@story
async def test_a_lost_channel_decides_all_that_is_open() -> None:
    confirms = Confirms(Counters())
    messages = batch(confirms, message(), message())
    confirms.confirm(1, is_multiple=False)
    confirms.lose("the network")
    assert kinds(messages) == [None, PublishLost]
    assert "the network" in str(messages.results[1])
    assert confirms._counters.lost == 1


@story
@pytest.mark.parametrize("reason", ["NOT_FOUND - no exchange 'bad' in vhost '/'"])
async def test_a_channel_closed_because_of_an_exchange_refuses_only_its_messages(reason: str) -> None:
    confirms = Confirms(Counters())
    messages = batch(confirms, message(), message(exchange="bad"))
    confirms.lose(reason, is_refusal=True)
    assert kinds(messages) == [PublishLost, PublishRefused]
