from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.cas.cbor import dumps, loads
from penstock.errors import BadHashLink

#: RFC 8949, appendix A, and what metadata begin with.
CASES = [
    (0, "00"),
    (23, "17"),
    (24, "1818"),
    (1000, "1903e8"),
    (1000000, "1a000f4240"),
    (1000000000000, "1b000000e8d4a51000"),
    ("", "60"),
    ("ü", "62c3bc"),
    ([1, [2, 3]], "820182 0203"),
    ({}, "a0"),
    ({1: 2, 3: 4}, "a201020304"),
    ({"a": "A", "b": "B"}, "a2616161416162 6142"),
    ({0x0F: ["x" * 75]}, "a10f81784b" + "78" * 75),
]


@pytest.mark.parametrize(("value", "written"), CASES)
def test_a_value_is_written_in_its_shortest_form_and_read_back(value: object, written: str) -> None:
    assert dumps(value) == bytes.fromhex(written)
    assert loads(bytes.fromhex(written)) == value


@pytest.mark.parametrize(("written", "value"), [("20", -1), ("3903e7", -1000), ("4401020304", b"\1\2\3\4")])
def test_more_is_read_than_is_written(written: str, value: object) -> None:
    assert loads(bytes.fromhex(written)) == value


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "ends too early"),
        ("78", "ends too early"),
        ("6261", "ends too early"),
        ("9affffffff00", "ends too early"),  # four billion items in one byte
        ("bbffffffffffffffff", "ends too early"),
        ("0000", "1 bytes follow"),
        ("9f01ff", "lengths beforehand"),
        ("1c", "lengths beforehand"),
        ("61ff", "not UTF-8"),
        ("c11a514b67b0", "kind 6"),
        ("f5", "kind 7"),
        ("a200010002", "a key twice"),
        ("a1800 0".replace(" ", ""), "no name"),
        ("81" * 20 + "00", "too deep"),
    ],
)
def test_what_cannot_be_metadata_is_refused_with_its_reason(written: str, reason: str) -> None:
    with pytest.raises(BadHashLink, match=reason):
        loads(bytes.fromhex(written))


@pytest.mark.parametrize("value", [None, True, 1.5, b"bytes", object()])
def test_what_metadata_do_not_hold_is_not_written(value: object) -> None:
    with pytest.raises(TypeError, match="metadata"):
        dumps(value)


def test_a_number_beyond_eight_bytes_is_not_written() -> None:
    with pytest.raises(OverflowError):
        dumps(1 << 64)


SIMPLE = st.integers(0, 2**64 - 1) | st.text(max_size=30)


@given(
    st.recursive(
        SIMPLE,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(SIMPLE, inner, max_size=4),
        max_leaves=8,
    )
)
def test_what_is_written_is_read_back_unless_it_nests_too_deep(value: object) -> None:
    try:
        assert loads(dumps(value)) == value
    except BadHashLink as refused:
        assert "too deep" in str(refused)  # noqa: PT017  the one reason that a generated value may have


@given(st.binary(max_size=60))
def test_any_bytes_are_a_value_or_refused(data: bytes) -> None:
    try:
        loads(data)
    except BadHashLink:
        return
