from __future__ import annotations

import pytest

from penstock.wire.beanstalk import Command, Decoder, PutTerms, Verb, replies

PUT = PutTerms(1, 2, 3, 4)
RESERVE: Command = (Verb.RESERVE, ())

#: What is said, and what it comes to.
CASES: dict[str, tuple[bytes, list[Command]]] = {
    "a line": (b"reserve\r\n", [RESERVE]),
    "lines": (
        b"reserve\r\ndelete 5\r\n\r\n",
        [RESERVE, (Verb.DELETE, 5), (Verb.REFUSED, replies.UNKNOWN_COMMAND)],
    ),
    "a job": (b"put 1 2 3 4\r\nab\r\n\r\n", [(Verb.PUT, (PUT, b"ab\r\n"))]),
    "an empty job": (b"put 1 2 3 0\r\n\r\n", [(Verb.PUT, (PutTerms(1, 2, 3, 0), b""))]),
    "a job without its end": (
        b"put 1 2 3 4\r\nabcdefreserve\r\n",
        [(Verb.PUT, (None, replies.EXPECTED_CRLF)), RESERVE],
    ),
    "a job that is too big": (
        b"put 1 2 3 21\r\n" + b"x" * 21 + b"\r\nreserve\r\n",
        [(Verb.PUT, (None, replies.JOB_TOO_BIG)), RESERVE],
    ),
    "a job as big as can be": (
        b"put 1 2 3 20\r\n" + b"x" * 20 + b"\r\n",
        [(Verb.PUT, (PutTerms(1, 2, 3, 20), b"x" * 20))],
    ),
    "a put that cannot be, and its body": (
        b"put 1 2 3\r\nreserve\r\n",
        [(Verb.REFUSED, replies.BAD_FORMAT), RESERVE],
    ),
    "a line as long as can be": (b"use " + b"x" * 218 + b"\r\n", [(Verb.REFUSED, replies.BAD_FORMAT)]),
    "a line that is too long": (
        b"x" * 1000 + b"\r\nreserve\r\n",
        [(Verb.REFUSED, replies.BAD_FORMAT), RESERVE],
    ),
}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 223, 224, 225, 10_000])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_commands_are_the_same_however_they_are_cut(case: tuple[bytes, list[Command]], size: int) -> None:
    said, expected = case
    said += b"quit\r\n"
    decoder = Decoder(job_max=20)
    heard = [command for at in range(0, len(said), size) for command in decoder.receive(said[at : at + size])]
    assert heard == [*expected, (Verb.QUIT, ())]
    assert repr(decoder) == "<Decoder with 0 bytes, 0 to pass over>"


def test_the_same_line_again_is_the_same_object() -> None:
    one, two, three = Decoder().receive(b"reserve-with-timeout 1\r\n" * 2 + b"reserve-with-timeout 2\r\n")
    assert one is two
    assert two is not three


def test_what_is_passed_over_is_not_kept() -> None:
    decoder = Decoder(job_max=20)
    assert decoder.receive(b"put 1 2 3 1000000\r\n" + b"x" * 500_000) == []
    assert repr(decoder) == "<Decoder with 0 bytes, 500002 to pass over>"
    decoder = Decoder()
    assert decoder.receive(b"x" * 500_000) == []
    assert repr(decoder) == "<Decoder with 0 bytes, 0 to pass over>"


def test_of_many_lines_some_are_remembered() -> None:
    decoder = Decoder()
    for delay in range(3000):
        decoder.receive(b"put 0 %d 1 0\r\n\r\n" % delay)
    assert len(decoder._known) <= 1024
