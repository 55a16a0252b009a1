from __future__ import annotations

import pytest

from penstock.wire.beanstalk import Answer, AnswerDecoder, Word, replies

#: What a server says, and what a client reads.
CASES: dict[str, tuple[bytes, list[Answer]]] = {
    "a word": (replies.TIMED_OUT, [Answer(Word.TIMED_OUT)]),
    "a number": (replies.inserted(2**64 - 1), [Answer(Word.INSERTED, 2**64 - 1)]),
    "buried by bury": (replies.BURIED, [Answer(Word.BURIED)]),
    "buried by put": (b"BURIED 7\r\n", [Answer(Word.BURIED, 7)]),
    "kicked": (replies.kicked(3) + replies.KICKED, [Answer(Word.KICKED, 3), Answer(Word.KICKED)]),
    "a name": (replies.using("mail"), [Answer(Word.USING, 0, b"mail")]),
    "a count": (replies.watching(2), [Answer(Word.WATCHING, 2)]),
    "a job": (replies.reserved(5, b"a\r\nb"), [Answer(Word.RESERVED, 5, b"a\r\nb")]),
    "an empty job": (replies.found(5, b""), [Answer(Word.FOUND, 5)]),
    "a large job": (replies.reserved(6, b"x" * 1000), [Answer(Word.RESERVED, 6, b"x" * 1000)]),
    "data": (replies.chunk(b"---\n- a\n"), [Answer(Word.OK, 0, b"---\n- a\n")]),
}
BARE = [said for name in replies.__all__ if isinstance(said := getattr(replies, name), bytes)]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 224, 10_000])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_answers_are_the_same_however_they_are_cut(case: tuple[bytes, list[Answer]], size: int) -> None:
    said, expected = case
    said += replies.DELETED
    decoder = AnswerDecoder()
    heard = [answer for at in range(0, len(said), size) for answer in decoder.receive(said[at : at + size])]
    assert heard == [*expected, Answer(Word.DELETED)]
    assert repr(decoder) == "<AnswerDecoder with 0 bytes>"


@pytest.mark.parametrize("said", BARE)
def test_all_that_our_server_says_is_known(said: bytes) -> None:
    (answer,) = AnswerDecoder().receive(said)
    assert answer == Answer(Word(said.decode().strip()))


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (b"HTTP/1.1 400 Bad Request\r\nServer: x\r\n", b"HTTP/1.1 400 Bad Request"),
        (b"AMQP\0\0\x09\x01" + b"\xff" * 300, b"AMQP\0\0\x09\x01" + b"\xff" * 52),
        (b"INSERTED\r\n", b"INSERTED"),
        (b"INSERTED 5x\r\n", b"INSERTED 5x"),
        (b"TIMED_OUT 5\r\n", b"TIMED_OUT 5"),
        (b"RESERVED 5 1\r\nabc", b"RESERVED 5 1"),
        (b"\r\n", b""),
    ],
)
def test_what_is_no_answer_is_the_last_that_is_read(said: bytes, shown: bytes) -> None:
    decoder = AnswerDecoder()
    assert decoder.receive(said) == [Answer(Word.NONSENSE, 0, shown)]
    assert decoder.receive(b"DELETED\r\n") == []
