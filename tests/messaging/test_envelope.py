from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from penstock.messaging import Death, Destination, Message, envelope
from penstock.messaging.envelope import (
    REMEMBERED,
    deaths_of,
    delay_header,
    heading_of,
    maybe_origin,
    message_of,
    milliseconds,
    properties_for,
)
from penstock.wire.amqp import BasicProperties

NOW = 1_900_000_000.75

FULL = Message(
    body=b'{"sum": 5}',
    id="m1",
    type="Bill",
    version=3,
    content_type="application/json; charset=utf-8",
    headers={"trace": "t1", "tries": 2},
    correlation_id="c1",
    reply_to="answers",
    priority=4,
    expires_in=1.5,
    timestamp=1_800_000_000.0,
    group="customer 5",
    durable=False,
    content_encoding="gzip",
    app_id="shop",
)


def test_a_message_comes_out_as_it_went_in() -> None:
    found = message_of(properties_for(FULL, NOW), FULL.body)
    assert found.headers == {"trace": "t1", "tries": 2, "x-penstock-type-version": 3, "x-group": "customer 5"}
    assert replace(found, headers=FULL.headers) == FULL


def test_the_least_message_comes_out_as_it_went_in_with_the_time_of_its_publishing() -> None:
    message = Message(body=b"", id="m2")
    found = message_of(properties_for(message, NOW), b"")
    assert replace(found, headers={}, timestamp=0.0) == message
    assert found.timestamp == 1_900_000_000.0


def test_every_property_has_its_place_on_the_wire() -> None:
    properties = properties_for(FULL, NOW, {"x-delay": 5000})
    assert properties.as_dict() == {
        "content_type": "application/json; charset=utf-8",
        "content_encoding": "gzip",
        "headers": {
            "x-penstock-type-version": 3,
            "trace": "t1",
            "tries": 2,
            "x-group": "customer 5",
            "x-delay": 5000,
        },
        "delivery_mode": 1,
        "priority": 4,
        "correlation_id": "c1",
        "reply_to": "answers",
        "expiration": "1500",
        "message_id": "m1",
        "timestamp": datetime.fromtimestamp(1_800_000_000, UTC),
        "type": "Bill",
        "app_id": "shop",
    }


def test_a_message_is_kept_on_disk_unless_it_says_otherwise() -> None:
    assert properties_for(Message(body=b""), NOW).delivery_mode == 2


def test_another_programs_message_is_a_message_too() -> None:
    found = message_of(BasicProperties.of(), b"hello")
    assert (found.body, found.id, found.type, found.version) == (b"hello", "", "", 1)
    assert (found.content_type, found.timestamp, found.durable) == ("application/json", 0.0, False)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [({"x-penstock-type-version": "2"}, 2), ({"x-penstock-type-version": []}, 1), ({"x-group": 5}, 1)],
)
def test_headers_that_make_no_sense_are_as_good_as_not_there(headers: Any, expected: int) -> None:
    found = message_of(BasicProperties.of(headers=headers, expiration="soon"), b"")
    assert (found.version, found.group, found.expires_in) == (expected, None, None)


def test_a_heading_says_what_a_message_is() -> None:
    assert heading_of(properties_for(FULL, NOW)) == ("Bill", 3, "application/json; charset=utf-8")
    assert heading_of(BasicProperties.of()) == ("", 1, "application/json")


def test_messages_of_one_kind_are_told_apart_and_cannot_spoil_each_other() -> None:
    one, other = (message_of(properties_for(replace(FULL, id=each), NOW), b"") for each in ("m1", "m2"))
    assert (one.id, other.id) == ("m1", "m2")
    with pytest.raises(TypeError):
        one.headers["tries"] = 3  # type: ignore[index]
    assert replace(one, id="m2") == other


def test_what_never_comes_again_is_not_remembered_for_ever() -> None:
    for number in range(2 * REMEMBERED):
        properties = properties_for(replace(FULL, headers={"unique": number}), NOW)
        assert message_of(properties, b"").headers["unique"] == number
    assert len(envelope._kinds) <= REMEMBERED


def test_a_time_beyond_the_calendar_stays_a_number() -> None:
    assert message_of(BasicProperties.of(timestamp=10**15), b"").timestamp == 10**15


@pytest.mark.parametrize(("seconds", "expected"), [(0, 0), (1.5, 1500), (0.0001, 1), (0.007, 7), (-3, 0)])
def test_milliseconds_are_never_fewer_than_asked_for(seconds: float, expected: int) -> None:
    assert milliseconds(seconds) == expected


def test_a_delay_is_penstocks_header() -> None:
    assert delay_header(Message(body=b"", delay=2.5)) == {"x-delay": 2500}


def test_a_copy_tells_where_the_first_was_published_to() -> None:
    assert maybe_origin({"x-penstock-exchange": "shop", "x-penstock-key": "Bill"}) == Destination(
        "shop", "Bill"
    )
    assert maybe_origin({"x-penstock-key": "bills"}) == Destination("", "bills")
    assert maybe_origin({}) is None


def test_deaths_are_read_newest_first() -> None:
    death = {
        "queue": "bills",
        "reason": "rejected",
        "exchange": "shop",
        "routing-keys": ["Bill"],
        "count": 2,
        "time": datetime.fromtimestamp(1_800_000_000, UTC),
    }
    first, second = deaths_of({"x-death": [death, {"queue": "wait"}, "nonsense"]})
    assert first == Death(
        queue="bills",
        reason="rejected",
        exchange="shop",
        keys=("Bill",),
        count=2,
        at=1_800_000_000.0,
    )
    assert (second.queue, second.keys, second.count, second.at) == ("wait", (), 0, 0.0)


@pytest.mark.parametrize("headers", [{}, {"x-death": "rejected"}])
def test_who_has_not_died_has_no_deaths(headers: dict[str, Any]) -> None:
    assert deaths_of(headers) == ()
