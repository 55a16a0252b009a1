from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadEncoding
from penstock.sidetree.base64url import decode, decode_checked, encode


@given(st.binary(max_size=100))
def test_what_is_encoded_comes_back_and_python_agrees(data: bytes) -> None:
    assert encode(data) == base64.urlsafe_b64encode(data).decode().rstrip("=")
    assert decode(encode(data)) == decode_checked(encode(data)) == data


@pytest.mark.parametrize(
    "text",
    [
        "AA==",  # padding
        "A",  # six bits are no byte
        "AB",  # bits behind the last byte
        "AAB",
        "ab+/",  # base64, not base64url
        "a b_",
        "ab\n_",
        "äöü_",
        "AAAA=",
        "=",
        "A=AA",
        "AA=A",
        "====",
        "-+AA",
        "_/AA",
    ],
)
def test_a_text_that_nobody_would_write_is_refused(text: str) -> None:
    with pytest.raises(BadEncoding, match="base64url"):
        decode(text)


@given(st.text("ABCwxyz019-_=+/ ", max_size=12))
def test_no_two_texts_mean_the_same_bytes(text: str) -> None:
    try:
        data = decode(text)
    except BadEncoding:
        return
    assert encode(data) == text
