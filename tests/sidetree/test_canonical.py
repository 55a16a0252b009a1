from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import MalformedJson
from penstock.sidetree.canonical import MOST_PLACES, canonical, parse, plainly, rare_number
from penstock.sidetree.depth import DEEPEST
from tests.sidetree.vectors import RFC_8785, names, needs_vectors, raw

texts = st.text(max_size=8)
numbers = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@needs_vectors
@pytest.mark.parametrize("name", names(f"{RFC_8785}/input"))
def test_the_examples_of_rfc_8785_come_out_as_they_should(name: str) -> None:
    assert canonical(parse(raw(f"{RFC_8785}/input/{name}"))) == raw(f"{RFC_8785}/output/{name}").strip()


@given(values)
def test_the_short_road_and_the_plain_one_meet(value: Any) -> None:
    assert canonical(value) == "".join(plainly(value)).encode()


@given(values)
def test_what_is_canonical_is_parsed_and_stays(value: Any) -> None:
    written = canonical(value)
    assert canonical(parse(written)) == written
    assert parse(written) == value


@given(values)
def test_spaces_and_order_do_not_matter(value: Any) -> None:
    assert canonical(parse(json.dumps(value, indent=1).encode())) == canonical(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": [True, None]}, b'{"a":[true,null],"b":1}'),
        # By UTF-16 units, a smiley comes before a letter that has a smaller code point.
        ({"\ufb33": 1, "\U0001f602": 2}, '{"\U0001f602":2,"\ufb33":1}'.encode()),
        ({"x": 1.0, "y": 1e30, "z": -0.0}, b'{"x":1,"y":1e+30,"z":0}'),
        ('\x7f\u2028/\x1f\b"\\', '"\x7f\u2028/\\u001f\\b\\"\\\\"'.encode()),
        ("did:example:123e4", b'"did:example:123e4"'),
        (2**60, b"1152921504606847000"),
    ],
)
def test_the_form_is_one(value: Any, expected: bytes) -> None:
    assert canonical(value) == expected


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (math.nan, "no JSON number"),
        ([math.inf], "no JSON number"),
        (2**53 + 1, "exactly"),
        (10**400, "canonical"),
        ("\ud800", "surrogates"),
        ({1: 2}, "str"),
        (object(), "canonical"),
        ([{"n": None, "s": {1, 2}}], "canonical"),
    ],
)
def test_a_value_that_json_does_not_have_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(MalformedJson, match=reason):
        canonical(value)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "truncated"),
        (b"{", "truncated"),
        (b"{}{}", "trailing"),
        (b"[1,]", "trailing comma"),
        (b"{'a':1}", "malformed"),
        (b'{"a":1,"a":2}', "'a' stands twice"),
        (b'[{"b":{"c":1,"c":1}}]', "'c' stands twice"),
        (b'{"a":1,"\\u0061":2}', "'a' stands twice"),
        (b"NaN", "malformed"),
        (b"-Infinity", "malformed"),
        (b"1e400", "range"),
        (b"9007199254740993", "exactly"),
        (b'{"n":-12345678901234567891}', "exactly"),
        (b"1" * 400, "large"),
        (b'"\\ud800"', "truncated"),
        (b'"\\ud800 and more"', "surrogate"),
        (b'"\\udc00\\udc00"', "surrogate"),
        (b'"\xff"', "utf-8"),
        (b'"\xed\xa0\x80"', "utf-8"),
        (b"\xef\xbb\xbf{}", "malformed"),
        ('"é"'.encode("utf-16"), "malformed"),
        (b'"\x01"', "malformed"),
        (b"01", "malformed"),
        (b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1), "nests"),
        (b"[" * 100_000, "nests"),
    ],
)
def test_bytes_that_could_be_read_in_two_ways_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(MalformedJson, match=reason):
        parse(data)


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b' {"a" : [ 1 , 2.50 ] } ', {"a": [1, 2.5]}),
        (b"-0", 0),
        (b"9007199254740994", 9007199254740994),
        # No double holds it, but it is how the nearest is written.
        (b"43184060975309540", 4.318406097530954e16),
        (b'"\\ud83d\\ude02"', "\U0001f602"),
        (b"[" * DEEPEST + b"]" * DEEPEST, json.loads("[" * DEEPEST + "]" * DEEPEST)),
    ],
)
def test_the_rest_of_json_is_taken(data: bytes, value: Any) -> None:
    assert parse(data) == value


def test_a_value_without_end_is_refused() -> None:
    ring: list[Any] = []
    ring.append(ring)
    with pytest.raises(MalformedJson, match="nests too deep"):
        canonical(ring)


@pytest.mark.parametrize(
    ("data", "is_rare"),
    [
        (b"1.5", True),
        (b"[1.5]", True),
        (b"[1,-1e5]", True),
        (b'{"a":1.5}', True),
        (b'{"a":1234567890123456}', True),
        (b'{"a":[{"b":-1.0}]}', True),
        (b'{"a":15}', False),
        (b'{"at":"2026-11-17T21:52:35.123Z"}', False),  # a colon, but not of a member
        (b'{"a":"\\":1.5"}', True),  # for nothing, and the value is the same
        (b'["%b",15]' % (b":0" * 2000), False),  # more places than are looked at one by one
        (b'["%b",1.5]' % (b":0" * 2000), True),
        (b'["%b",1.5]' % (b":0" * MOST_PLACES), True),
    ],
)
def test_numbers_that_must_be_looked_at_are_seen_and_times_of_day_are_none(
    data: bytes, *, is_rare: bool
) -> None:
    assert rare_number(data) is is_rare
    assert parse(data) == json.loads(data)
