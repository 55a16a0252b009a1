from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.messaging import Message
from penstock.messaging.beanstalk.envelope import Around, Opened, job_body, message_in, opened

NOW = 1_800_000_000.0
AROUND = Around(id="s-7", priority=3, put_at=5.0, headers={})


def read(job: bytes, **around: Any) -> Message:
    return message_in(opened(job), AROUND._replace(**around))


def test_a_message_that_says_nothing_beside_its_body_is_its_body() -> None:
    body = b'{"route": "/building/finishUpgrade", "content": {}}'
    assert job_body(Message(body=body, id=""), NOW) == body
    assert job_body(Message(body=b"\xff\0", id=""), NOW) == b"\xff\0"


def test_the_envelope_of_a_json_object_is_its_first_member() -> None:
    body = b'{"route":"/a","content":{"b":1}}'
    job = job_body(Message(body=body, id="i1"), NOW)
    assert job == b'{"penstock":{"v":1,"id":"i1"},"route":"/a","content":{"b":1}}'
    assert json.loads(job)["route"] == "/a", "who knows nothing of envelopes reads it as what it is"
    assert opened(job) == Opened({"v": 1, "id": "i1"}, body)


@pytest.mark.parametrize(
    "body",
    [b"", b"{}", b"{ }", b"[1]", b"hello", b"\xff\xfe\0", b'{"penstock":{"v":1},"a":2}', b'{"penstock":'],
)
def test_before_any_other_body_it_stands_on_a_line_of_its_own(body: bytes) -> None:
    job = job_body(Message(body=body, id="i1"), NOW)
    assert job == b'{"penstock":{"v":1,"id":"i1"}}\n' + body
    assert read(job).body == body


def test_a_body_that_looks_like_an_envelope_gets_one() -> None:
    body = b'{"penstock":{"v":1,"id":"not mine"}}\n'
    job = job_body(Message(body=body, id=""), NOW)
    assert read(job).body == body
    assert read(job).id == "s-7"


def test_all_of_a_message_comes_back() -> None:
    sent = Message(
        body=b'{"sum":5}',
        id="i1",
        type="Bïll",
        version=3,
        content_type="application/x-bill",
        headers={"trace": "t1", "raw": b"\xff", "at": datetime(2026, 1, 1, tzinfo=UTC), "deep": {"$x": [1]}},
        correlation_id="c1",
        reply_to="answers",
        priority=3,
        expires_in=2.5,
        timestamp=9.5,
        group="g",
        durable=False,
        content_encoding="gzip",
        app_id="me",
    )
    found = read(job_body(sent, NOW))
    assert found.headers == {**sent.headers, "x-penstock-type-version": 3}
    expected = Message(
        **{name: getattr(sent, name) for name in Message.__slots__} | {"headers": found.headers}
    )
    assert found == expected


@given(
    body=st.one_of(
        st.binary(max_size=50),
        st.dictionaries(st.text(), st.integers()).map(lambda each: json.dumps(each).encode()),
        st.binary(max_size=20).map(lambda tail: b'{"penstock":' + tail),
        st.binary(max_size=20).map(lambda tail: b'{"penstock":{"v":1}' + tail),
    ),
    name=st.text(max_size=8),
    headers=st.dictionaries(
        st.text(max_size=5), st.one_of(st.text(), st.binary(), st.integers()), max_size=3
    ),
)
def test_whatever_a_message_is_it_comes_back(body: bytes, name: str, headers: dict[str, Any]) -> None:
    found = read(job_body(Message(body=body, id=name, headers=headers), NOW))
    assert (found.body, found.id) == (body, name or "s-7")
    assert {key: found.headers[key] for key in headers} == headers


def test_a_span_has_a_beginning() -> None:
    found = read(job_body(Message(body=b"x", id="", expires_in=5.0), NOW))
    assert (found.timestamp, found.expires_in) == (NOW, 5.0)


def test_further_headers_travel_too_and_what_is_around_is_seen() -> None:
    job = job_body(Message(body=b"x", id="i"), NOW, {"more": 1})
    found = read(job, headers={"x-acquired-count": 2})
    assert found.headers == {"more": 1, "x-acquired-count": 2, "x-penstock-type-version": 1}
    assert (found.priority, found.timestamp) == (3, 5.0)


def test_another_programs_job_is_a_body_known_by_its_number() -> None:
    found = read(b"anything")
    assert (found.body, found.id, found.priority, found.timestamp) == (b"anything", "s-7", 3, 5.0)
    assert found.headers == {}


@pytest.mark.parametrize(
    "job",
    [
        b'{"penstock":{"v":2,"id":"later"},"a":1}',
        b'{"penstock":"yes","a":1}',
        b'{"penstock":{"v":1,"id":',
        b'{"penstock":{"v":1}} \n',
        b'{"penstock":{"v":1}',
        b'{"penstock":{"v":1,"id":"\xff"}}\n',
    ],
)
def test_what_is_no_envelope_is_a_body(job: bytes) -> None:
    assert opened(job) == Opened({}, job)


def test_an_envelope_that_lies_about_its_kinds_does_no_harm() -> None:
    lies = {
        "v": 1,
        "id": 5,
        "version": "x",
        "headers": {"t": {"$time": "never"}},
        "durable": "no",
        "reply_to": [],
    }
    found = read(b'{"penstock":' + json.dumps(lies).encode() + b"}\nbody")
    assert (found.id, found.version, found.durable, found.reply_to) == ("s-7", 1, True, None)
    assert found.headers == {"x-penstock-type-version": 1}
    listed = read(b'{"penstock":{"v":1,"headers":[]}}\nbody')
    assert listed.headers == {"x-penstock-type-version": 1}


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-1", "1e999", "1" + "0" * 400, "true", "[]", "null", '"5"']
)
def test_no_number_is_too_odd(number: str) -> None:
    odd = f'"timestamp":{number},"expires_in":{number},"version":{number}'
    found = read(b'{"penstock":{"v":1,' + odd.encode() + b"}}\nbody")
    assert (found.timestamp, found.expires_in, found.version, found.body) == (5.0, None, 1, b"body")


@pytest.mark.parametrize("depth", [500, 100_000])
def test_no_envelope_is_too_deep(depth: int) -> None:
    deep = b'{"penstock":{"v":1,"headers":{"a":' + b"[" * depth + b"]" * depth + b"}}}\nbody"
    assert read(deep).body in (b"body", deep)


def test_half_a_character_is_no_reason_to_fail() -> None:
    job = job_body(Message(body=b"x", id="i", type="\ud800"), NOW)
    assert read(job).type == "\ud800"
