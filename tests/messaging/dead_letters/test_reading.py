from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.messaging import headers as names
from penstock.messaging.dead_letters.reading import RETRY_OF, read
from penstock.messaging.message import Death, Message
from tests.messaging.dead_letters.making import HEADERS

HEADERS_OF_OURS = {
    "region": "eu",
    names.ATTEMPTS: 3,
    names.CONSUMER: "notifications",
    names.QUEUE: "commons.notifications",
    names.ERROR: "no thread 17",
    names.ERROR_CLASS: "builtins.LookupError",
    names.TRACE: "Traceback …",
    names.FIRST_FAILURE: "100.500",
    names.LAST_FAILURE: "110.250",
    names.EXCHANGE: "commons",
    names.KEY: "ThreadCreated",
    names.REDRIVEN: 2,
}


def death(reason: str, queue: str = "commons.notifications", **more: Any) -> Death:
    facts: dict[str, Any] = {"exchange": "commons", "keys": ("ThreadCreated",), "count": 1, "at": 90.0} | more
    return Death(queue=queue, reason=reason, **facts)


def message(headers: dict[str, Any], **more: Any) -> Message:
    return Message(**{"body": b"{}", "id": "m1", "type": "ThreadCreated", "headers": headers, **more})


def test_what_our_applications_write() -> None:
    letter = read(
        message(HEADERS_OF_OURS, version=2, correlation_id="c", reply_to="r", priority=3, timestamp=50.0),
        [],
        999.0,
    )
    assert (letter.consumer, letter.message_id) == ("notifications", "m1")
    assert (letter.queue, letter.exchange, letter.key) == (
        "commons.notifications",
        "commons",
        "ThreadCreated",
    )
    assert (letter.type, letter.version, letter.body) == ("ThreadCreated", 2, b"{}")
    assert (letter.error, letter.error_class, letter.trace) == (
        "no thread 17",
        "builtins.LookupError",
        "Traceback …",
    )
    assert (letter.reason, letter.attempts, letter.redriven) == ("failed", 3, 2)
    assert (letter.first_failure, letter.last_failure) == (100.5, 110.25)
    assert (letter.correlation_id, letter.reply_to, letter.priority) == ("c", "r", 3)
    assert letter.published_at == 50.0
    assert letter.headers == HEADERS_OF_OURS
    assert letter.state == "dead"


@pytest.mark.parametrize(
    ("reason", "error"),
    [
        ("rejected", "a consumer rejected it without saying why"),
        ("expired", "it waited longer than it may"),
        ("maxlen", "its queue was full"),
        ("delivery_limit", "it was delivered as often as its queue allows"),
        ("a new one", "a new one"),
    ],
)
def test_what_a_broker_dead_letters_by_itself(reason: str, error: str) -> None:
    letter = read(message({"x-death": []}), [death(reason, count=4)], 999.0)
    assert (letter.reason, letter.error) == (reason, error)
    assert (letter.consumer, letter.queue) == ("commons.notifications", "commons.notifications")
    assert (letter.exchange, letter.key, letter.attempts) == ("commons", "ThreadCreated", 4)
    assert (letter.first_failure, letter.last_failure) == (90.0, 90.0)


def test_a_queues_consumer_may_be_known() -> None:
    known = {"commons.notifications": "notifications"}
    assert read(message({}), [death("expired")], 999.0, known).consumer == "notifications"


def test_what_the_consumer_said_when_it_rejected() -> None:
    assert read(message({"x-death-error": "no room"}), [death("rejected")], 999.0).error == "no room"


def test_the_newest_death_says_where_and_why_and_the_oldest_where_from() -> None:
    deaths = [
        death("delivery_limit", "second", exchange="", keys=("second",), at=95.0),
        death("expired", "first", at=80.0),
    ]
    letter = read(message({}), deaths, 999.0)
    assert (letter.queue, letter.reason) == ("second", "delivery_limit")
    assert (letter.exchange, letter.key) == ("commons", "ThreadCreated")
    assert (letter.first_failure, letter.last_failure) == (80.0, 95.0)


def test_a_copy_that_expired_later_still_tells_its_last_error() -> None:
    letter = read(message(HEADERS_OF_OURS), [death("expired", at=120.0)], 999.0)
    assert (letter.consumer, letter.reason) == ("notifications", "expired")
    assert letter.error == "no thread 17"
    assert letter.last_failure == 120.0


def test_failures_in_another_queue_are_another_consumers() -> None:
    letter = read(message(HEADERS_OF_OURS), [death("rejected", "elsewhere")], 999.0)
    assert (letter.consumer, letter.queue) == ("elsewhere", "elsewhere")


def test_a_message_in_place_of_another_says_so() -> None:
    assert read(message({RETRY_OF: "m0"}), [], 1.0).retry_of == "m0"
    assert read(message({}), [], 1.0).retry_of is None


def test_orbs_messages_have_their_id_in_a_header() -> None:
    assert read(message({"_watermill_message_uuid": "w1"}, id=""), [], 1.0).message_id == "w1"


def test_garbage_is_kept_under_a_name_of_its_own_that_stays_the_same() -> None:
    one = read(Message(body=b"\xff\x00", id=""), [], 999.0)
    assert (one.consumer, one.queue, one.reason) == ("unknown", "", "failed")
    assert (one.first_failure, one.last_failure) == (999.0, 999.0)
    assert one.message_id.startswith("nameless-")
    # Delivered once more it is the same; another one is another.
    again = Message(body=b"\xff\x00", id="", headers={"x-delivery-count": 1})
    assert read(again, [], 1000.0).message_id == one.message_id
    assert read(Message(body=b"\xff\x01", id=""), [], 999.0).message_id != one.message_id


TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=20)


@given(
    st.builds(
        Message,
        body=st.binary(max_size=20),
        id=TEXT,
        type=TEXT,
        headers=st.one_of(
            HEADERS,
            st.dictionaries(st.sampled_from([*HEADERS_OF_OURS, "x-death"]), st.one_of(TEXT, st.integers())),
        ),
        correlation_id=st.one_of(st.none(), TEXT),
    ),
    st.lists(st.builds(death, TEXT, TEXT, keys=st.just(())), max_size=2),
)
def test_whatever_arrives_is_read(message: Message, deaths: list[Death]) -> None:
    letter = read(message, deaths, 1.0)
    assert letter.consumer
    assert letter.message_id
    assert letter.group
    assert letter.error


def test_what_other_programs_say_is_kept() -> None:
    letter = read(message({}, content_encoding="gzip", app_id="else\0where"), [], 999.0)
    assert (letter.content_encoding, letter.app_id) == ("gzip", "else\\0where")
