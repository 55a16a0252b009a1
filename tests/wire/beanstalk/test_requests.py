from __future__ import annotations

import pytest

from penstock.wire.beanstalk import Command, Decoder, PutTerms, Verb
from penstock.wire.beanstalk.requests import put, request

#: What a client writes, and what a server reads.
CASES: list[tuple[bytes, Command]] = [
    (request(Verb.RESERVE), (Verb.RESERVE, ())),
    (request(Verb.RESERVE_WITH_TIMEOUT, 5), (Verb.RESERVE_WITH_TIMEOUT, 5)),
    (request(Verb.USE, "mail"), (Verb.USE, "mail")),
    (request(Verb.RELEASE, 7, 2**32 - 1, 3), (Verb.RELEASE, [7, 2**32 - 1, 3])),
    (request(Verb.PAUSE_TUBE, "mail", 9), (Verb.PAUSE_TUBE, ("mail", 9))),
    (request(Verb.AUTH, "me", "s%20cret"), (Verb.AUTH, ("me", "s%20cret"))),
    (put(b"a\r\nb", priority=1, delay=2, ttr=3), (Verb.PUT, (PutTerms(1, 2, 3, 4), b"a\r\nb"))),
    (put(b"", priority=0, delay=0, ttr=1), (Verb.PUT, (PutTerms(0, 0, 1, 0), b""))),
]


@pytest.mark.parametrize(("written", "read"), CASES)
def test_a_server_reads_what_a_client_writes(written: bytes, read: Command) -> None:
    assert Decoder().receive(written) == [read]
