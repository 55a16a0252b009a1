from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.errors import MessagingError
from penstock.messaging import headers as names
from penstock.messaging.dead_letters import Edit
from penstock.messaging.dead_letters.reading import RETRY_OF, read
from penstock.messaging.dead_letters.redriving import edited, own_headers, redriven
from penstock.messaging.message import Destination
from tests.messaging.dead_letters.making import FAILED

LETTER = replace(
    FAILED,
    headers={
        "region": "eu",
        "x-group": "g",
        "x-death": [{"reason": "rejected"}],
        "x-first-death-queue": "q",
        "x-delay": 5,
        "orb-queue": "q",
        "orb-redelivery-count": "20",
        "expiration": "2000",
        names.ATTEMPTS: 3,
        names.CONSUMER: "commons.Notifications",
        names.ERROR: "no thread 17",
        names.REASON: "failed",
        names.TRACE: "…",
        names.EXPIRES_AT: "5",
        names.FIRST_FAILURE: "100",
        names.REDRIVEN: 1,
    },
    redriven=1,
    correlation_id="c",
    reply_to="r",
    priority=4,
    published_at=77.0,
)


def test_it_goes_to_the_queue_of_whoever_failed_with_all_its_attempts_again() -> None:
    message, to = redriven(LETTER)
    assert to == Destination("", "commons.Notifications")
    assert message.headers == {
        "region": "eu",
        "x-group": "g",
        names.REDRIVEN: 2,
        names.EXCHANGE: "commons",
        names.KEY: "ThreadCreated",
    }
    assert (message.id, message.type, message.version, message.body) == (
        "m1",
        "ThreadCreated",
        2,
        b'{"id": 1}',
    )
    assert (message.correlation_id, message.reply_to, message.priority) == ("c", "r", 4)
    assert (message.timestamp, message.group, message.delay, message.expires_in) == (77.0, "g", 0, None)
    assert message.durable


def test_failing_again_it_is_the_same_dead_letter() -> None:
    message, _ = redriven(LETTER)
    failed = replace(message, headers={**message.headers, names.CONSUMER: FAILED.consumer})
    again = read(failed, [], 300.0)
    assert (again.consumer, again.message_id, again.redriven) == (LETTER.consumer, "m1", 2)


def test_an_edited_one_is_another_message_that_knows_the_first() -> None:
    edit = Edit(
        body=b"{}",
        type="ThreadMade",
        version=3,
        content_type="text/plain",
        headers={"region": None, "mended": True},
        queue="elsewhere",
    )
    message, to = edited(LETTER, edit, "m2")
    assert to == Destination("", "elsewhere")
    assert (message.id, message.body, message.type, message.version) == ("m2", b"{}", "ThreadMade", 3)
    assert message.content_type == "text/plain"
    assert message.headers[RETRY_OF] == "m1"
    assert message.headers["mended"] is True
    assert "region" not in message.headers
    assert read(message, [], 1.0).retry_of == "m1"


def test_an_edit_of_nothing_changes_nothing_but_the_id() -> None:
    before, to = redriven(LETTER)
    after, where = edited(LETTER, Edit(), "m2")
    assert where == to
    assert replace(after, id="m1", headers={}) == replace(before, headers={})
    assert dict(after.headers) == {**before.headers, RETRY_OF: "m1"}


def test_an_edit_that_repeats_all_headers_does_not_bring_the_failure_back() -> None:
    letter = replace(LETTER, headers={**LETTER.headers, RETRY_OF: "m0", "void": None})
    after, _ = edited(letter, Edit(headers=dict(letter.headers)), "m2")
    assert after == edited(letter, Edit(), "m2")[0]
    assert (after.headers[RETRY_OF], after.headers["void"]) == ("m1", None)


@pytest.mark.parametrize("name", ["x-death", "x-delivery-count", names.ATTEMPTS, names.EXPIRES_AT, RETRY_OF])
def test_no_edit_writes_about_the_failure(name: str) -> None:
    message, _ = edited(LETTER, Edit(headers={name: "7"}), "m2")
    assert message.headers.get(name) in {None, "m1"}


@pytest.mark.parametrize(("name", "value"), [("region", "us"), ("number", True), ("x-delay", 9)])
def test_what_is_changed_is_changed_even_to_what_is_equal(name: str, value: object) -> None:
    letter = replace(LETTER, headers={**LETTER.headers, "number": 1})
    message, _ = edited(letter, Edit(headers={name: value}), "m2")
    assert message.headers[name] is value


def test_a_messages_own_headers_are_those_that_go_along_and_were_not_written_on_the_way() -> None:
    assert own_headers(replace(LETTER, headers={**LETTER.headers, RETRY_OF: "m0"})) == {
        "region": "eu",
        "x-group": "g",
    }


def test_without_a_queue_it_can_go_nowhere_unless_one_is_named() -> None:
    nowhere = replace(LETTER, queue="")
    with pytest.raises(MessagingError, match="nobody knows the queue of m1"):
        redriven(nowhere)
    assert edited(nowhere, Edit(queue="q"), "m2")[1] == Destination("", "q")


def test_what_other_programs_say_goes_along() -> None:
    message, _ = redriven(replace(LETTER, content_encoding="gzip", app_id="elsewhere"))
    assert (message.content_encoding, message.app_id) == ("gzip", "elsewhere")


def test_what_says_no_content_type_is_json() -> None:
    message, _ = redriven(replace(LETTER, content_type=""))
    assert message.content_type == "application/json"


def test_where_it_was_published_to_is_not_made_up() -> None:
    message, _ = redriven(replace(LETTER, exchange="", key=""))
    assert names.KEY not in message.headers
    assert names.EXCHANGE not in message.headers
