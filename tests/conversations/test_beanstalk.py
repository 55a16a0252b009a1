"""The protocol, command by command: the same conversation with beanstalkd and with Penstock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conversations.beanstalk import Conversation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.running import Running


CONVERSATIONS = {
    "a job's usual life": """
        a> use {tube}
        a< USING {tube}
        a> put 0 0 60 5
        a> hello
        a< INSERTED {job}
        b> watch {tube}
        b< WATCHING 2
        b> reserve
        b< RESERVED {job} 5
        b~ hello
        b> delete {job}
        b< DELETED
        b> delete {job}
        b< NOT_FOUND
    """,
    "a job is waited for": """
        b> watch {tube}
        b< WATCHING 2
        b> reserve
        a> use {tube}
        a< USING {tube}
        a> put 0 0 60 1
        a> x
        a< INSERTED {job}
        b< RESERVED {job} 1
        b> delete {job}
        b< DELETED
    """,
    "urgent ones first, then those that came first": """
        a> use {tube}
        a< USING {tube}
        a> put 5 0 60 1
        a> x
        a< INSERTED {one}
        a> put 1 0 60 1
        a> x
        a< INSERTED {two}
        a> put 5 0 60 1
        a> x
        a< INSERTED {three}
        a> watch {tube}
        a< WATCHING 2
        a> reserve
        a< RESERVED {two} 1
        a> reserve
        a< RESERVED {one} 1
        a> reserve
        a< RESERVED {three} 1
        a> reserve-with-timeout 0
        a< TIMED_OUT
    """,
    "release, bury, kick and touch": """
        a> use {tube}
        a< USING {tube}
        a> watch {tube}
        a< WATCHING 2
        a> put 3 0 60 1
        a> x
        a< INSERTED {job}
        a> reserve
        a< RESERVED {job} 1
        a> touch {job}
        a< TOUCHED
        a> release {job} 4 0
        a< RELEASED
        a> release {job} 4 0
        a< NOT_FOUND
        a> reserve
        a< RESERVED {job} 1
        a> bury {job} 2
        a< BURIED
        a> peek-buried
        a< FOUND {job} 1
        a> reserve-with-timeout 0
        a< TIMED_OUT
        a> kick 5
        a< KICKED 1
        a> stats-job {job}
        a< OK {bytes}
        a~ state: ready
        a~ pri: 2
        a~ reserves: 2
        a~ releases: 1
        a~ buries: 1
        a~ kicks: 1
        a~ timeouts: 0
        a~ tube: {tube}
        a> kick-job {job}
        a< NOT_FOUND
        a> reserve-job {job}
        a< RESERVED {job} 1
        b> reserve-job {job}
        b< NOT_FOUND
        b> delete {job}
        b< NOT_FOUND
        b> peek {job}
        b< FOUND {job} 1
    """,
    "a delayed job comes later": """
        a> use {tube}
        a< USING {tube}
        a> watch {tube}
        a< WATCHING 2
        a> put 0 1 60 1
        a> x
        a< INSERTED {job}
        a> peek-delayed
        a< FOUND {job} 1
        a> reserve-with-timeout 0
        a< TIMED_OUT
        a> reserve
        a< RESERVED {job} 1
    """,
    "a job that takes too long is for others, and its worker is warned": """
        a> use {tube}
        a< USING {tube}
        a> watch {tube}
        a< WATCHING 2
        b> watch {tube}
        b< WATCHING 2
        a> put 0 0 1 1
        a> x
        a< INSERTED {job}
        a> reserve|reserve
        a< RESERVED {job} 1
        a< DEADLINE_SOON
        b> reserve
        b? RESERVED {job} 1
        a> touch {job}
        a< NOT_FOUND
        b> stats-job {job}
        b< OK {bytes}
        b~ timeouts: 1
        b~ reserves: 2
    """,
    "what a client had that hangs up is for others": """
        a> use {tube}
        a< USING {tube}
        b> watch {tube}
        b< WATCHING 2
        c> watch {tube}
        c< WATCHING 2
        a> put 0 0 60 1
        a> x
        a< INSERTED {job}
        b> reserve
        b< RESERVED {job} 1
        c> reserve
        b! hangs up
        c< RESERVED {job} 1
        c> delete {job}
        c< DELETED
    """,
    "a tube that is paused": """
        a> use {tube}
        a< USING {tube}
        a> watch {tube}
        a< WATCHING 2
        a> put 0 0 60 1
        a> x
        a< INSERTED {job}
        a> pause-tube {tube} 1
        a< PAUSED
        a> reserve-with-timeout 0
        a< TIMED_OUT
        a> stats-tube {tube}
        a< OK {bytes}
        a~ current-jobs-ready: 1
        a~ cmd-pause-tube: 1
        a~ pause: 1
        a> reserve
        a< RESERVED {job} 1
        a> pause-tube {tube}-none 1
        a< NOT_FOUND
    """,
    "tubes come and go": """
        a> stats-tube {tube}
        a< NOT_FOUND
        a> watch {tube}
        a< WATCHING 2
        a> list-tubes-watched
        a< OK {bytes}
        a~ - default
        a~ - {tube}
        a> list-tube-used
        a< USING default
        a> ignore default
        a< WATCHING 1
        a> ignore {tube}
        a< NOT_IGNORED
        a> watch default
        a< WATCHING 2
        a> list-tubes
        a< OK {more}
        a~ - {tube}
        a> ignore {tube}
        a< WATCHING 1
        a> stats-tube {tube}
        a< NOT_FOUND
    """,
    "mistakes": """
        a> put 0 0 60 2
        a> abcd
        a< EXPECTED_CRLF
        a< UNKNOWN_COMMAND
        a> put 0 0 60
        a< BAD_FORMAT
        a> nonsense
        a< UNKNOWN_COMMAND
        a> use -x
        a< BAD_FORMAT
        a> delete x
        a< BAD_FORMAT
        a> reserve-job 18446744073709551615
        a< NOT_FOUND
    """,
    "who half closes while it waits": """
        a> watch {tube}
        a< WATCHING 2
        a> ignore default
        a< WATCHING 1
        a> reserve
        a! half
        a< TIMED_OUT
    """,
}


@pytest.fixture
def conversation(tube_server: Running, tube: str) -> Iterator[Conversation]:
    """A conversation about a tube of its own."""
    conversation = Conversation(tube_server, tube=tube)
    yield conversation
    conversation.close()


@pytest.mark.parametrize("script", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_the_conversation_goes_as_written(conversation: Conversation, script: str) -> None:
    conversation.hold(script)


def test_a_job_may_be_of_any_bytes_and_as_big_as_can_be(conversation: Conversation) -> None:
    line = conversation._line("a")
    body = bytes(range(256)) * 255
    line.send(b"use big\r\nwatch big\r\nput 0 0 60 %d\r\n%b\r\nreserve\r\n" % (len(body), body))
    assert [line.hear() for _ in range(2)] == ["USING big", "WATCHING 2"]
    job = line.hear().removeprefix("INSERTED ")
    assert line.hear() == f"RESERVED {job} {len(body)}"
    assert line.data == body
    line.send(b"delete %b\r\nput 0 0 60 65536\r\n%b\r\nlist-tube-used\r\n" % (job.encode(), bytes(65536)))
    assert [line.hear() for _ in range(3)] == ["DELETED", "JOB_TOO_BIG", "USING big"]
