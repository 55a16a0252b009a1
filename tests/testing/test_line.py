from __future__ import annotations

import asyncio

from penstock.testing.faults import Faults, Point
from penstock.testing.line import Line


class Told(asyncio.Protocol):
    """Notes what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def __repr__(self) -> str:
        return "Told"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.told.append(transport)

    def data_received(self, data: bytes) -> None:
        self.told.append(data)

    def eof_received(self) -> bool:
        self.told.append("eof")
        return True

    def pause_writing(self) -> None:
        self.told.append("pause")

    def resume_writing(self) -> None:
        self.told.append("resume")

    def connection_lost(self, exc: Exception | None) -> None:
        self.told.append(exc)


class Cut(asyncio.Transport):
    """Notes that it was cut."""

    is_cut = False

    def abort(self) -> None:
        self.is_cut = True


def made(faults: Faults) -> tuple[Line, Told, Cut]:
    told, transport = Told(), Cut()
    line = Line(told, faults, Point.TOLD)
    line.connection_made(transport)
    assert told.told.pop() is transport
    return line, told, transport


def test_everything_is_handed_on() -> None:
    line, told, transport = made(Faults())
    line.data_received(b"data")
    line.pause_writing()
    line.resume_writing()
    assert line.eof_received() is True
    assert not line.is_lost
    error = OSError()
    line.connection_lost(error)
    assert told.told == [b"data", "pause", "resume", "eof", error]
    assert (line.is_lost, transport.is_cut, repr(line)) == (True, False, "<Line to Told>")


def test_a_trap_takes_the_whole_read_and_the_connection() -> None:
    faults, done = Faults(), []
    line, told, transport = made(faults)
    with faults.trap("told", 2, lambda: done.append("now")):
        line.data_received(b"one")
        assert not transport.is_cut
        line.data_received(b"two")
    assert (told.told, done, transport.is_cut) == ([b"one"], ["now"], True)


def test_chance_takes_the_end_of_a_read_and_the_connection() -> None:
    faults = Faults()
    arrived = []
    with faults.losing(1.0, seed=1):
        for _ in range(50):
            line, told, transport = made(faults)
            line.data_received(b"abc")
            assert transport.is_cut
            arrived += told.told
    # Nothing at all is not told of.
    assert {*arrived} == {b"a", b"ab"}
