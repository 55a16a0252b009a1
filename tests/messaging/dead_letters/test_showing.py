from __future__ import annotations

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from penstock.messaging.dead_letters import DeadLetter, Group
from penstock.messaging.dead_letters.showing import (
    as_fields,
    as_line,
    as_page,
    group_as_fields,
    group_as_line,
    moment,
)
from tests.messaging.dead_letters.making import FAILED, RICH

GROUP = Group(
    group="abc",
    consumer="commons.Notifications",
    type="ThreadCreated",
    error_class="builtins.LookupError",
    error="no thread 17",
    reason="failed",
    count=5,
    first_failure=0.5,
    last_failure=1_900_000_000.0,
    returned=2,
)


def test_fields_are_json() -> None:
    fields = as_fields(replace(FAILED, headers=RICH))
    assert json.loads(json.dumps(fields)) == fields
    assert (fields["body"], fields["group"]) == ('{"id": 1}', FAILED.group)
    assert fields["headers"]["bytes"] == {"$bytes": "AP8="}


def test_a_body_that_is_no_text_is_base64() -> None:
    fields = as_fields(replace(FAILED, body=b"\xff"))
    assert fields["body_base64"] == "/w=="
    assert "body" not in fields


def test_a_cut_through_a_character_does_not_make_a_text_bytes() -> None:
    cut = replace(FAILED, body="grü".encode()[:-1], whole=900)
    assert (as_fields(cut)["body"], as_fields(cut)["size"]) == ("gr", 900)
    assert as_fields(replace(cut, whole=None))["body_base64"]
    assert as_fields(replace(cut, body=b"\xff", whole=900))["body_base64"] == "/w=="


def test_a_line_says_when_who_which_and_why() -> None:
    assert as_line(replace(FAILED, last_failure=1_900_000_000.0)) == (
        "2030-03-17 17:46:40Z  commons.Notifications  ThreadCreated  m1  "
        "3 attempts  LookupError: no thread 17"
    )
    bare = DeadLetter(consumer="c", message_id="m", error="x" * 300, redriven=2)
    assert as_line(bare).startswith("  c  (no type)  m  0 attempts, redriven 2  xxx")
    assert as_line(bare).endswith("x…")


def test_a_page_shows_everything_that_is_there() -> None:
    page = as_page(replace(FAILED, redriven_at=1_900_000_000.0))
    for text in (
        "consumer: commons.Notifications",
        "trace:\nTraceback …",
        '"region": "eu"',
        'body:\n{"id": 1}',
    ):
        assert text in page
    assert "redriven_at: 2030-03-17 17:46:40Z" in page
    assert "correlation_id" not in page
    assert "1 bytes that are no text" in as_page(replace(FAILED, body=b"\xff"))


def test_a_group_is_a_line() -> None:
    assert group_as_line(GROUP) == (
        "5 (2 came back)  abc  commons.Notifications  ThreadCreated  "
        "1970-01-01 00:00:00Z … 2030-03-17 17:46:40Z  LookupError: no thread 17"
    )
    assert group_as_line(replace(GROUP, returned=0, type="")).startswith(
        "5  abc  commons.Notifications  (no type)"
    )
    assert group_as_fields(GROUP)["count"] == 5


@given(st.text(), st.floats(allow_nan=False, allow_infinity=False))
def test_whatever_is_in_it_a_line_is_a_line(text: str, at: float) -> None:
    letter = DeadLetter(consumer=text, message_id=text, type=text, error=text, last_failure=at)
    assert not {"\n", "\r", "\x1b"} & set(as_line(letter))


def test_no_time_is_nothing_and_an_impossible_one_a_number() -> None:
    assert (moment(None), moment(0.0), moment(1e300)) == ("", "", "1e+300")
