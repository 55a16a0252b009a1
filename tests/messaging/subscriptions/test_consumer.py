from __future__ import annotations

from typing import Any

import pytest

from penstock.errors import MessagingError
from penstock.messaging.subscriptions import AtMostOnce, Batching, Consumer
from penstock.messaging.subscriptions.consumer import undecoded
from tests.messaging.fakes import FakeReceived


def consumer(**options: Any) -> Consumer:
    return Consumer(name="bills", queue="shop.bills", handler=print, **options)


def test_the_defaults_are_small_and_safe() -> None:
    plain = consumer()
    assert (plain.pool, plain.prefetch, plain.time_limit, plain.is_at_most_once) == (5, 10, None, False)
    assert consumer(retry=AtMostOnce()).is_at_most_once


def test_without_a_decoder_a_handler_gets_the_message() -> None:
    received = FakeReceived()
    assert undecoded(received) is received.message


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"pool": 0}, "pool"),
        ({"prefetch": 0}, "prefetch"),
        ({"time_limit": 0}, "cannot be done in 0 s"),
        ({"retry": AtMostOnce(), "batching": Batching()}, "not at most once"),
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(MessagingError, match=why):
        consumer(**wrong)


@pytest.mark.parametrize("wrong", [{"size": 0}, {"wait": -1}])
def test_batches_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(MessagingError, match="cannot be gathered like that"):
        Batching(**wrong)
