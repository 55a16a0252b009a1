from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock.errors import MessagingError, UnknownEvent
from penstock.messaging import Message
from penstock.messaging.declaring import Declaration, decoder
from penstock.messaging.events import Registry, event
from penstock.messaging.settings import MessagingSettings
from penstock.messaging.subscriptions import AtMostOnce, Backoff, Batching, Immediate
from tests.messaging.fakes import FakeReceived


@event("Bill", version=2)
class Bill(msgspec.Struct):
    sum: int


SETTINGS = MessagingSettings(mq_pool=7, mq_prefetch=3, mq_redelivery_max_attempts=4)


def declared(**options: Any) -> Declaration:
    return Declaration(name="bills", handler=print, events=(Bill,), **options)


def test_what_a_consumer_does_not_say_the_settings_do() -> None:
    consumer = declared().consumer("shop", SETTINGS)
    assert (consumer.name, consumer.queue) == ("shop.bills", "shop.bills")
    assert (consumer.pool, consumer.prefetch, consumer.time_limit) == (7, 3, None)
    assert consumer.retry == Backoff(attempts=4)


def test_what_a_consumer_says_counts() -> None:
    options: dict[str, Any] = {"pool": 2, "prefetch": 9, "time_limit": 5.0, "pausing": None}
    consumer = declared(retry=Immediate(), queue="Bills", **options).consumer("shop", SETTINGS)
    assert consumer.name == consumer.queue == "shop.Bills"
    assert (consumer.pool, consumer.prefetch, consumer.time_limit) == (2, 9, 5.0)
    assert (consumer.retry, consumer.pausing) == (Immediate(), None)
    assert declared(at_most_once=True).consumer("shop", SETTINGS).retry == AtMostOnce()


def test_batches_are_handled_one_at_a_time_unless_told_otherwise() -> None:
    assert declared(batching=Batching()).consumer("shop", SETTINGS).pool == 1
    assert declared(batching=Batching(), pool=3).consumer("shop", SETTINGS).pool == 3


def test_its_part_of_the_topology() -> None:
    consuming = declared(overrides={Bill: "Bill.eu"}, arguments={"x-max-length": 5}).consuming("shop")
    assert (consuming.name, consuming.queue, consuming.events) == ("bills", "shop.bills", ("Bill",))
    assert (consuming.overrides, consuming.arguments) == ({"Bill": "Bill.eu"}, {"x-max-length": 5})


def test_a_decoder_reads_what_it_knows_and_nothing_else() -> None:
    read = decoder(Registry(Bill))
    message = Message(body=b'{"sum": 5}', type="Bill", version=2)
    assert read(FakeReceived(message)) == Bill(sum=5)
    with pytest.raises(UnknownEvent):
        read(FakeReceived(Message(body=b"{}", type="Invoice")))


def test_a_consumer_of_nothing_is_refused() -> None:
    with pytest.raises(MessagingError, match="consumes no event"):
        Declaration(name="bills", handler=print, events=())
