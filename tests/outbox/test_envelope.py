from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from types import MappingProxyType

import pytest

from penstock.errors import OutboxError
from penstock.messaging import Destination, Message
from penstock.outbox.envelope import COLUMNS, Row, row_of

TO = Destination("commons", "ThreadCreated")
FULL = Message(
    body=b"{}",
    id="7",
    type="ThreadCreated",
    version=2,
    content_type="text/plain",
    headers={"n": 1, "bytes": b"\xff", "when": datetime(2026, 1, 1, tzinfo=UTC), "list": [1.5, None]},
    correlation_id="c",
    reply_to="r",
    priority=3,
    expires_in=9.5,
    timestamp=5.0,
    group="g",
    durable=False,
    content_encoding="gzip",
    app_id="other",
)


def there_and_back(message: Message, *, added_at: float = 100.0, now: float = 100.0) -> Message:
    row = row_of(message, TO, priority=0, now=added_at) | {"sequence": 1}
    return Row.of([row[name] for name in COLUMNS]).message(now)


def test_a_message_comes_back_whole() -> None:
    assert there_and_back(FULL) == FULL


def test_the_message_that_comes_back_whole_says_everything_there_is_to_say() -> None:
    plain = Message(body=b"")
    # A delay has tests of its own.
    same = [each.name for each in fields(Message) if getattr(FULL, each.name) == getattr(plain, each.name)]
    assert same == ["delay"]


def test_a_message_without_a_time_gets_the_one_it_was_added_at() -> None:
    assert there_and_back(Message(body=b"", id="1")).timestamp == 100.0


def test_headers_of_any_mapping_are_kept() -> None:
    assert there_and_back(Message(body=b"", headers=MappingProxyType({"a": 1}))).headers == {"a": 1}


@pytest.mark.parametrize(("now", "left"), [(100.0, 60.0), (130.0, 30.0), (1e9, 0.0)])
def test_waiting_in_the_outbox_counts_as_delay(now: float, left: float) -> None:
    assert there_and_back(Message(body=b"", delay=60.0), now=now).delay == left


def test_where_it_goes_is_kept() -> None:
    row = row_of(FULL, TO, priority=0, now=0.0) | {"sequence": 1}
    assert Row.of([row[name] for name in COLUMNS]).destination == TO


def test_what_is_published_already_has_its_time() -> None:
    assert row_of(FULL, TO, priority=0, now=4.0)["relayed_at"] is None
    assert row_of(FULL, TO, priority=0, now=4.0, relayed=1)["relayed_at"] == 4.0


@pytest.mark.parametrize("value", [object(), 2**70])
def test_a_header_that_cannot_be_kept_is_an_error(value: object) -> None:
    with pytest.raises(OutboxError, match="message 1 cannot be kept"):
        row_of(Message(body=b"", id="1", headers={"a": value}), TO, priority=0, now=0.0)
