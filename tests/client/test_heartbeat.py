from __future__ import annotations

import asyncio
from typing import Any

from penstock.client.heartbeat import MOST_SILENT, Heartbeat
from penstock.wire.amqp import HEARTBEAT_BYTES


class Loop:
    """A loop whose time passes when it is told to."""

    def __init__(self) -> None:
        self.due: list[Any] = []
        self.delays: list[float] = []

    def call_later(self, delay: float, callback: Any) -> Any:
        self.delays.append(delay)
        self.due.append(callback)
        return self

    def cancel(self) -> None:
        self.due.clear()

    def pass_by(self) -> None:
        due, self.due = self.due, []
        for callback in due:
            callback()


class Line(asyncio.WriteTransport):
    def __init__(self) -> None:
        self.written: list[Any] = []

    def write(self, data: Any) -> None:
        self.written.append(data)


def begun(interval: int = 10) -> tuple[Heartbeat, Loop, Line, list[str]]:
    loop, line, dead = Loop(), Line(), list[str]()
    heartbeat = Heartbeat(loop, dead.append)  # type: ignore[arg-type]
    heartbeat.start(interval, line)
    return heartbeat, loop, line, dead


def test_who_has_nothing_to_say_beats() -> None:
    heartbeat, loop, line, _ = begun()
    loop.pass_by()
    assert line.written == [HEARTBEAT_BYTES]
    heartbeat.spoke = True
    loop.pass_by()
    assert line.written == [HEARTBEAT_BYTES]
    assert loop.delays == [5, 5, 5]


def test_two_silent_intervals_are_the_end() -> None:
    heartbeat, loop, _, dead = begun()
    for _ in range(3):
        loop.pass_by()
    heartbeat.heard = True
    for _ in range(MOST_SILENT):
        assert dead == []
        loop.pass_by()
    assert dead == []
    loop.pass_by()
    assert dead == ["no sign of life for 20 s"]
    assert loop.due == []


def test_without_an_interval_nothing_is_looked_at() -> None:
    _, loop, _, _ = begun(0)
    assert loop.due == []


def test_after_the_end_nothing_is_looked_at() -> None:
    heartbeat, loop, _, _ = begun()
    heartbeat.stop()
    heartbeat.stop()
    assert loop.due == []


def test_who_does_not_listen_takes_silence_for_nothing() -> None:
    heartbeat, loop, line, dead = begun()
    heartbeat.is_deaf = True
    for _ in range(3 * MOST_SILENT):
        loop.pass_by()
    assert dead == []
    assert len(line.written) == 3 * MOST_SILENT
    heartbeat.is_deaf = False
    for _ in range(MOST_SILENT):
        loop.pass_by()
    assert dead == ["no sign of life for 20 s"]
