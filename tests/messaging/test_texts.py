from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.messaging.texts import clean


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=20))
def test_a_clean_text_is_one_that_every_database_takes(text: str) -> None:
    assert "\0" not in clean(text)
    clean(text).encode()
    if text.isascii() and "\0" not in text:
        assert clean(text) == text
