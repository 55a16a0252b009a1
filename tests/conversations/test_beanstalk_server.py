"""What concerns the whole server, so that each test has one of its own: statistics, and draining."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from penstock.wire.beanstalk import read_document
from tests.conversations.beanstalk import Conversation
from tests.servers import beanstalkd, penstock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers.running import Running

#: What the server has counted when the conversation below is over. What it says of the machine, of the time,
#: of its files and of whoever saw whether it listens is its own.
COUNTED = {
    "current-jobs-urgent": 1,
    "current-jobs-ready": 2,
    "current-jobs-reserved": 1,
    "current-jobs-delayed": 1,
    "current-jobs-buried": 1,
    "cmd-put": 6,
    "cmd-peek": 1,
    "cmd-peek-ready": 1,
    "cmd-peek-delayed": 1,
    "cmd-peek-buried": 1,
    "cmd-reserve": 1,
    "cmd-reserve-with-timeout": 2,
    "cmd-delete": 1,
    "cmd-release": 0,
    "cmd-use": 1,
    "cmd-watch": 1,
    "cmd-ignore": 1,
    "cmd-bury": 1,
    "cmd-kick": 0,
    "cmd-touch": 1,
    "cmd-stats": 1,
    "cmd-stats-job": 1,
    "cmd-stats-tube": 1,
    "cmd-list-tubes": 1,
    "cmd-list-tube-used": 1,
    "cmd-list-tubes-watched": 1,
    "cmd-pause-tube": 0,
    "job-timeouts": 0,
    "total-jobs": 6,
    "max-job-size": 65535,
    "current-tubes": 2,
    "current-connections": 2,
    "current-producers": 1,
    "current-workers": 1,
    "current-waiting": 0,
    "draining": "false",
}
BUSY = """
    a> use work
    a< USING work
    a> put 0 0 60 1|x|put 2000 0 60 1|x|put 0 9 60 1|x|put 0 0 60 1|x|put 0 0 60 1|x|put 0 0 60 1|x
    a< INSERTED 1
    a< INSERTED 2
    a< INSERTED 3
    a< INSERTED 4
    a< INSERTED 5
    a< INSERTED 6
    b> watch work|ignore default|reserve|reserve-with-timeout 0|reserve-with-timeout 0
    b< WATCHING 2
    b< WATCHING 1
    b< RESERVED 1 1
    b< RESERVED 4 1
    b< RESERVED 5 1
    b> delete 1|bury 4 0|touch 5
    b< DELETED
    b< BURIED
    b< TOUCHED
    a> peek 2|peek-ready|peek-delayed|peek-buried|stats-job 2|stats-tube work
    a< FOUND 2 1
    a< FOUND 6 1
    a< FOUND 3 1
    a< FOUND 4 1
    a< OK {one}
    a< OK {two}
    a> list-tubes|list-tube-used|list-tubes-watched
    a< OK {three}
    a< USING work
    a< OK {four}
"""


@pytest.fixture(params=["beanstalkd", "penstock"])
def own_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    """Each of the servers that speak beanstalk in turn, with nobody else on it."""
    if request.param == "beanstalkd":
        running = beanstalkd.start(request.getfixturevalue("real_program")("beanstalkd"), tmp_path)
    else:
        running = penstock.start_tubes(tmp_path)
    yield running
    running.end()


@pytest.fixture
def conversation(own_server: Running) -> Iterator[Conversation]:
    conversation = Conversation(own_server)
    yield conversation
    conversation.close()


def test_the_server_counts_alike(conversation: Conversation) -> None:
    conversation.hold(BUSY)
    line = conversation._line("a")
    line.send(b"stats\r\n")
    line.hear()
    told = read_document(line.data)
    assert {name: told.get(name) for name in COUNTED} == {name: str(count) for name, count in COUNTED.items()}


def test_a_server_that_drains_takes_no_jobs_and_gives_those_it_has(
    own_server: Running, conversation: Conversation
) -> None:
    conversation.hold("a> put 0 0 60 1|x\na< INSERTED 1")
    os.kill(own_server.processes[0].pid, signal.SIGUSR1)
    line = conversation._line("a")
    told: dict[str, str] = {}
    while told.get("draining") != "true":
        line.send(b"stats\r\n")
        line.hear()
        told = read_document(line.data)
    conversation.hold("a> put 0 0 60 1|x\na< DRAINING")
    conversation.hold("b> reserve\nb< RESERVED 1 1\nb> release 1 0 0\nb< RELEASED")
    conversation.hold("b> reserve\nb< RESERVED 1 1\nb> delete 1\nb< DELETED")
