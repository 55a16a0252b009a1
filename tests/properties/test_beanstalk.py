"""Random commands, said to beanstalkd and to Penstock: the same replies, however they are cut."""

from __future__ import annotations

import re
import socket
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.beanstalk.talk import World
from tests.servers import beanstalkd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.server.beanstalk.talk import Client
    from tests.servers.running import Running

#: Seconds a reply may take; it takes microseconds, unless the machine is busy.
PATIENCE_S = 60
FEW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

#: Jobs are named by how many came before them: each server has its own ids.
JOB = re.compile(rb"#(\d+)")
places = st.sampled_from([0, 0, 0, 1, 1, 2]).map("#{}".format)
tubes = st.sampled_from(["default", "a"])
priorities = st.sampled_from([0, 1, 1023, 1024, 2**32 - 1])
delays = st.sampled_from([0, 0, 0, 100])

# Commands that are right

puts = st.builds(
    lambda pri, delay, ttr, body: f"put {pri} {delay} {ttr} {len(body)}\r\n{body}",
    priorities,
    delays,
    st.sampled_from([60, 100]),
    # A carriage return alone keeps beanstalkd from finding the end of what is taken for a line.
    st.lists(st.sampled_from(["a", "b c", "\n", "\r\n"]), max_size=4).map("".join),
)
reserves = st.just("reserve-with-timeout 0")
looks = st.sampled_from(
    ["peek-ready", "peek-delayed", "peek-buried", "list-tube-used", "list-tubes-watched", "list-tubes"]
)
kicks = st.builds("kick {}".format, st.integers(0, 3))
by_id = st.builds(
    "{} {}".format,
    st.sampled_from(["delete", "delete", "peek", "touch", "kick-job", "reserve-job", "stats-job"]),
    places,
)
releases = st.builds("release {} {} {}".format, places, priorities, delays)
burials = st.builds("bury {} {}".format, places, priorities)
named = st.builds("{} {}".format, st.sampled_from(["use", "watch", "ignore", "stats-tube"]), tubes)
right = st.one_of(puts, reserves, reserves, by_id, by_id, releases, releases, burials, named, looks, kicks)

# And wrong

names = st.sampled_from(["-bad", "", "a" * 200, "a" * 201, "(;+/.$_)", "a b", "ä"])
misnamed = st.builds(
    "{} {}".format, st.sampled_from(["use", "watch", "ignore", "stats-tube", "pause-tube"]), names
)
odd = st.sampled_from(
    """
    statsx,list-tubesx,peek-readyx,reservex,nonsense,,put,put ,delete,delete x,delete 1 2,delete  #0,
    delete #0 ,kick x,kick 1x,kick -1,kick +2,kick  1,peek,peek ,touch -1,bury #0,release #0 2,
    release #0 0 0 0,
    pause-tube default,pause-tube nonesuch 1,pause-tubex 1,reserve-job,use,stats-job x,kick-job,Reserve,a\0b,
    put 0 0 60,put 0 0 60 1 1,put 0 0 60 x,put -1 0 60 1,put 4294967296 0 60 1,put 0 0 60 70000 x,
    delete 18446744073709551616,delete 18446744073709551615,reserve-with-timeout,reserve-with-timeout 0x,
    reserve-with-timeout  0,bury #0 4294967296
    """.replace("\n    ", "").split(",")
)
misfits = st.builds(
    "put 0 0 60 {}\r\n{}".format, st.integers(0, 6), st.sampled_from(["", "x", "xy", "\r\n", "reserve\r\n"])
)
#: Where the line's end falls in two at 224 bytes, beanstalkd misses it.
overlong = st.integers(220, 460).filter(lambda size: size % 224 != 223).map(lambda size: "x" * size)
anything = st.one_of(right, right, misnamed, odd, misfits, overlong)

#: What tells of time or of other examples, or is written otherwise since 1.13, which quotes; and its length.
VARIES = re.compile(rb'OK \d+|(?<=time-left: )\d+|(?<=age: )\d+|(?<=total-jobs: )\d+|(?<=cmd-delete: )\d+|"')


class Sides(NamedTuple):
    """Both servers."""

    theirs: Running
    ours: World

    def dial(self) -> socket.socket:
        return socket.create_connection((self.theirs.host, self.theirs.port), timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def sides(real_program: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sides]:
    folder = tmp_path_factory.mktemp("beanstalk")
    theirs = beanstalkd.start(real_program("beanstalkd"), folder)
    ours = World(folder)
    yield Sides(theirs, ours)
    ours.close()
    theirs.end()


class Their:
    """A client of beanstalkd that knows where a reply ends."""

    def __init__(self, sides: Sides) -> None:
        self._socket = sides.dial()
        self._file = self._socket.makefile("rb")

    def ask(self, command: bytes) -> bytes:
        self._socket.sendall(command + b"\r\n")
        line = self._file.readline()
        words = line.split()
        if words[0] in (b"OK", b"FOUND", b"RESERVED"):
            line += self._file.read(int(words[-1]) + 2)
        return line

    def rest(self, commands: bytes) -> bytes:
        """Say all that there is to say, and hear all that there is to hear."""
        self._socket.sendall(commands)
        self._socket.shutdown(socket.SHUT_WR)
        return self._file.read()

    def hang_up(self) -> None:
        self._file.close()
        self._socket.close()


class Our:
    """A client of Penstock, that may say things in pieces."""

    def __init__(self, sides: Sides) -> None:
        self._client: Client = sides.ours.worker()

    def ask(self, command: bytes) -> bytes:
        return self._client.send(command + b"\r\n")

    def rest(self, commands: bytes, size: int) -> bytes:
        heard = b"".join(
            self._client.send(commands[at : at + size])
            for at in range(0, len(commands), size)
            if not self._client.wire.is_over
        )
        if not self._client.wire.is_over:
            self._client.world.run(self._client.session.eof_received)
        return heard + self._client.hear()

    def hang_up(self) -> None:
        self._client.hang_up()


class Story:
    """One side of a conversation: what is said to it, and what it says, with its jobs by their places."""

    def __init__(self, opened: Callable[[], Their | Our]) -> None:
        self._open = opened
        self._clients: dict[int, Their | Our] = {}
        # Jobs of its own come after this one.
        self._base = int(self.of(0).ask(b"put 0 0 1 0\r\n").split()[1])
        self.of(0).ask(b"delete %d" % self._base)

    def of(self, number: int) -> Their | Our:
        if number not in self._clients:
            self._clients[number] = self._open()
        return self._clients[number]

    def meant(self, command: str) -> bytes:
        return JOB.sub(lambda job: b"%d" % (self._base + 1 + int(job[1])), command.encode("latin-1"))

    def plain(self, said: bytes) -> bytes:
        ids = re.compile(rb"(?<=INSERTED )\d+|(?<=RESERVED )\d+|(?<=FOUND )\d+|(?<=\nid: )\d+")
        told = ids.sub(lambda job: b"#%d" % (int(job[0]) - self._base - 1), said)
        return VARIES.sub(lambda found: found[0][:3] if found[0].startswith(b"OK ") else b"", told)

    def end(self) -> None:
        """Leave nothing behind."""
        for client in self._clients.values():
            client.hang_up()
        self._clients.clear()
        last = int(self.of(0).ask(b"put 0 0 1 0\r\n").split()[1])
        for number in range(self._base, last + 1):
            self.of(0).ask(b"delete %d" % number)
        self.of(0).hang_up()


@FEW
@given(said=st.lists(st.tuples(st.sampled_from([0, 0, 0, 1]), right), min_size=25, max_size=50))
def test_two_clients_hear_the_same(sides: Sides, said: list[tuple[int, str]]) -> None:
    theirs, ours = Story(lambda: Their(sides)), Story(lambda: Our(sides))
    try:
        for client, command in said:
            expected = theirs.plain(theirs.of(client).ask(theirs.meant(command)))
            heard = ours.plain(ours.of(client).ask(ours.meant(command)))
            if command == "list-tubes":
                expected, heard = (b"\n".join(sorted(told.split())) for told in (expected, heard))
            assert heard == expected, command
    finally:
        theirs.end()
        ours.end()


@FEW
@given(said=st.lists(anything, max_size=12), size=st.sampled_from([1, 2, 3, 7, 50, 1000]))
def test_whatever_is_said_in_one_go_is_answered_the_same(sides: Sides, said: list[str], size: int) -> None:
    theirs, ours = Story(lambda: Their(sides)), Story(lambda: Our(sides))
    their, our = theirs.of(0), ours.of(0)
    assert isinstance(their, Their)
    assert isinstance(our, Our)
    said = [command for command in said if command not in ("list-tubes", "Reserve")]
    try:
        expected = their.rest(b"".join(theirs.meant(command) + b"\r\n" for command in said))
        heard = our.rest(b"".join(ours.meant(command) + b"\r\n" for command in said), size)
        assert ours.plain(heard) == theirs.plain(expected)
    finally:
        theirs.end()
        ours.end()
