from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.did.base58 import decode, encode
from penstock.errors import BadEncoding


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\0", "1"),
        (b"\0\0a", "112g"),
        (b"Hello World!", "2NEpo7TZRRrLZSi2U"),  # draft-msporny-base58-03
    ],
)
def test_bytes_are_written_in_bitcoins_alphabet(data: bytes, text: str) -> None:
    assert encode(data) == text
    assert decode(text) == data


@given(st.binary(max_size=80))
def test_what_is_written_is_read_back(data: bytes) -> None:
    assert decode(encode(data)) == data


@pytest.mark.parametrize("text", ["0", "O", "I", "l", "a b", "ü", "1" * 513])
def test_other_letters_and_endless_texts_are_refused(text: str) -> None:
    with pytest.raises(BadEncoding):
        decode(text)
