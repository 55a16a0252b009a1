from __future__ import annotations

import pytest

from penstock.wire.beanstalk import Word, replies


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (replies.inserted(7), b"INSERTED 7\r\n"),
        (replies.reserved(7, b"ab\r\n"), b"RESERVED 7 4\r\nab\r\n\r\n"),
        (replies.found(7, b""), b"FOUND 7 0\r\n\r\n"),
        (replies.head(Word.FOUND, 7, 4), b"FOUND 7 4\r\n"),
        (replies.kicked(2), b"KICKED 2\r\n"),
        (replies.using("a"), b"USING a\r\n"),
        (replies.watching(2), b"WATCHING 2\r\n"),
        (replies.chunk(b"---\n"), b"OK 4\r\n---\n\r\n"),
    ],
)
def test_a_reply_is_a_line_with_its_data_behind(said: bytes, expected: bytes) -> None:
    assert said == expected


def test_every_fixed_reply_is_a_line_that_says_its_name() -> None:
    fixed = [name for name in replies.__all__ if name.isupper()]
    assert [getattr(replies, name) for name in fixed] == [f"{name}\r\n".encode() for name in fixed]
