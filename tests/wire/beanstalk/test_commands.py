from __future__ import annotations

from typing import Any

import pytest

from penstock.wire.beanstalk import JOB_MAX, PutTerms, Verb, replies
from penstock.wire.beanstalk.commands import _READERS, read_line

BAD, UNKNOWN = replies.BAD_FORMAT, replies.UNKNOWN_COMMAND

READ = [
    ("put 1 2 3 4", Verb.PUT, PutTerms(1, 2, 3, 4)),
    ("put   1 2  3 4", Verb.PUT, PutTerms(1, 2, 3, 4)),
    ("put 4294967295 0 0 0", Verb.PUT, PutTerms(2**32 - 1, 0, 0, 0)),
    # Too big is too big, whatever comes behind.
    ("put 0 0 1 70000 x", Verb.PUT, PutTerms(0, 0, 1, 70000)),
    ("peek 3", Verb.PEEK, 3),
    ("peek-ready", Verb.PEEK_READY, ()),
    ("peek-delayed", Verb.PEEK_DELAYED, ()),
    ("peek-buried", Verb.PEEK_BURIED, ()),
    ("reserve", Verb.RESERVE, ()),
    ("reserve-with-timeout 0", Verb.RESERVE_WITH_TIMEOUT, 0),
    ("reserve-with-timeout 5x", Verb.RESERVE_WITH_TIMEOUT, 5),
    ("reserve-job 18446744073709551615", Verb.RESERVE_JOB, 2**64 - 1),
    ("delete  3", Verb.DELETE, 3),
    ("release 1 2 3", Verb.RELEASE, [1, 2, 3]),
    ("bury 1 2", Verb.BURY, [1, 2]),
    ("kick 3 or so", Verb.KICK, 3),
    ("kick -1", Verb.KICK, 2**32 - 1),
    ("kick-job 3", Verb.KICK_JOB, 3),
    ("touch 3", Verb.TOUCH, 3),
    ("stats", Verb.STATS, ()),
    ("stats-job 3", Verb.STATS_JOB, 3),
    ("stats-tube a", Verb.STATS_TUBE, "a"),
    ("use a", Verb.USE, "a"),
    ("watch a", Verb.WATCH, "a"),
    ("ignore a", Verb.IGNORE, "a"),
    ("list-tubes", Verb.LIST_TUBES, ()),
    ("list-tube-used", Verb.LIST_TUBE_USED, ()),
    ("list-tubes-watched", Verb.LIST_TUBES_WATCHED, ()),
    ("pause-tube a 3", Verb.PAUSE_TUBE, ("a", 3)),
    ("quit", Verb.QUIT, ()),
    ("quit at once", Verb.QUIT, ()),
    ("auth me secret%20word", Verb.AUTH, ("me", "secret%20word")),
]


@pytest.mark.parametrize(("line", "verb", "argument"), READ)
def test_a_line_is_read(line: str, verb: Verb, argument: Any) -> None:
    assert read_line(line.encode(), JOB_MAX) == (verb, argument)


def test_every_verb_is_read() -> None:
    assert {verb for _, verb, _ in READ} == {Verb.PUT, *_READERS}


@pytest.mark.parametrize(
    ("line", "reply"),
    [
        ("", UNKNOWN),
        ("put", UNKNOWN),
        ("Reserve", UNKNOWN),
        (" reserve", UNKNOWN),
        ("list-tube", UNKNOWN),
        ("put ", BAD),
        ("put 1 2 3", BAD),
        ("put 1 2 3 4 5", BAD),
        ("put 1 2 3 4 ", BAD),
        ("put -1 2 3 4", BAD),
        ("put 4294967296 2 3 4", BAD),
        ("put 1 2 3 ४", BAD),
        ("reserve ", BAD),
        ("reserved", BAD),
        ("reserve-with-timeout", BAD),
        ("reserve-with-timeout -1", BAD),
        ("reserve-with-timeout 2147483648", BAD),
        ("delete x", BAD),
        ("delete 1 ", BAD),
        ("delete 18446744073709551616", BAD),
        ("delete " + "9" * 200, BAD),
        ("release 1 2", BAD),
        ("bury 1 4294967296", BAD),
        ("kick x", BAD),
        ("kick 18446744073709551616", BAD),
        ("use -a", BAD),
        ("use a b", BAD),
        ("watch " + "a" * 201, BAD),
        ("pause-tube a", BAD),
        ("pause-tube -a 3", BAD),
        ("pause-tube a 4294967296", BAD),
        ("statsx", BAD),
        ("stats\0", BAD),
        ("auth me", BAD),
        ("auth me a b", BAD),
    ],
)
def test_a_line_that_cannot_be_is_refused(line: str, reply: bytes) -> None:
    assert read_line(line.encode(), JOB_MAX) == (Verb.REFUSED, reply)
