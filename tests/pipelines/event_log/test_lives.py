"""What brokers tell becomes steps of lives."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from penstock.pipelines.event_log.lives import COLUMNS, lives
from tests.pipelines.event_log.rows import LIVES, NOON, frame, step, told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: What RabbitMQ says of a delivery: no time, no consumer.
RABBITMQ: dict[str, Any] = {
    "routing_key": "deliver.mails.a",
    "arrived": NOON,
    "headers": '{"exchange_name":"shop","routing_keys":["orders.7"],"redelivered":1,'
    '"properties":{"message_id":"m7","headers":{"x-penstock-attempts":2}}}',
}


def test_each_is_a_step_whichever_broker_tells_it(spark: SparkSession) -> None:
    rows = [
        told(step("published", 1, 0), step("routed", 1, 0, queue="mails")),
        told(step("delivered", 1, 0.5, queue="mails", consumer="c", attempt=2)),
        told(step("dead", 1, 2, queue="stock", reason="rejected: no such thing")),
        RABBITMQ,
        RABBITMQ | {"routing_key": "publish.shop"},
        {"routing_key": "something.else", "headers": "{}", "body": b"[]"},
        {"type": "penstock.lives", "body": b"no JSON"},
    ]
    made = lives(frame(spark, rows, LIVES))
    assert tuple(made.columns) == COLUMNS
    names = ("message_id", "step", "exchange", "routing_key", "queue", "consumer", "attempt", "reason")
    found = made.collect()
    assert [tuple(row[name] for name in names) for row in found] == [
        ("m1", "published", "shop", "orders.1", None, None, 0, None),
        ("m1", "routed", "shop", "orders.1", "mails", None, 0, None),
        ("m1", "delivered", "shop", "orders.1", "mails", "c", 2, None),
        ("m1", "dead", "shop", "orders.1", "stock", None, 0, "rejected: no such thing"),
        ("m7", "delivered", "shop", "orders.7", "mails.a", None, 3, None),
        ("m7", "published", "shop", "orders.7", None, None, 0, None),
    ]
    assert [row.redelivered for row in found] == [False, False, True, False, True, True]
    assert {row.day for row in found} == {date(2026, 1, 31)}
    assert found[2].at.microsecond == 500_000
    assert len({row.id for row in found}) == 6


def test_a_trace_with_an_odd_header_is_a_step_too(spark: SparkSession) -> None:
    odd = RABBITMQ | {"headers": RABBITMQ["headers"].replace('attempts":2', 'attempts":"often"')}
    [found] = lives(frame(spark, [odd], LIVES)).collect()
    assert (found.step, found.attempt) == ("delivered", 1)


def test_traces_that_say_the_same_are_steps_of_their_own(spark: SparkSession) -> None:
    # Given traces that came to a spool together, of messages without an id, and one of them again
    publish = RABBITMQ | {"routing_key": "publish.shop", "headers": '{"exchange_name":"shop"}'}
    rows = [publish | {"position": position} for position in (1, 2, 2)]
    # Then there are as many steps as messages
    found = lives(frame(spark, rows, LIVES)).collect()
    assert len({row.id for row in found}) == 2
