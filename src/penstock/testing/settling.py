"""Settling: whether anything between a broker and its clients in this process is still on its way.

What waits in buffers, for the store or for a turn of the broker can be seen; what the kernel has of a
connection is read in the next turn of the loop. What runs in a thread of its own or waits for another
server cannot be seen from here: whoever does that has a probe.
"""

from __future__ import annotations

import asyncio
from math import inf
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from penstock.clock import VirtualClock
    from penstock.server.amqp.session import AmqpSession
    from penstock.server.embedded import Embedded
    from penstock.testing.line import Line

__all__ = ["Settling", "on_its_way"]

#: Turns of the loop without anything on its way after which nothing is: callbacks that wait for their turn
#: cannot be seen, and one leads to another.
QUIET_TURNS: Final = 25
#: Turns to look again at once; after that a thread is waited for, which needs the processor itself.
EAGER_TURNS: Final = 100
#: Seconds between two looks then.
APART: Final = 0.001


class Settling:
    """Looks again and again until all is quiet."""

    def __init__(
        self,
        clock: VirtualClock,
        on_its_way: Callable[[], Iterable[str]],
        probes: Iterable[Callable[[], bool]],
    ) -> None:
        """For things that go by a clock.

        Args:
            on_its_way: tells what can be seen.
            probes: tell whether there is something that cannot be seen.
        """
        self._clock = clock
        self._on_its_way = on_its_way
        self._probes = probes
        #: Probes that outlasted the patience of `settle`, until they are seen at rest.
        self._given_up: set[Callable[[], bool]] = set()

    async def settle(self, within: float, patience: float = inf) -> None:
        """Wait until nothing is on its way.

        Args:
            within: real seconds, after which it is an error.
            patience: real seconds to wait for probes, if they may stay busy: a handler that waits
                for the clock cannot end before the clock goes on.

        Raises:
            TimeoutError: saying what is still on its way.
        """
        loop = asyncio.get_running_loop()
        began, turns, quiet = loop.time(), 0, 0
        while quiet < QUIET_TURNS:
            turns += 1
            await asyncio.sleep(0 if turns < EAGER_TURNS or quiet else APART)
            if self._clock.next_at <= self._clock.now():
                self._clock.advance(0)
            took = loop.time() - began
            busy = next(iter(self._on_its_way()), "") or self._probed(is_patient=took < patience)
            quiet = 0 if busy else quiet + 1
            if busy and took > within:
                raise TimeoutError(f"not settled after {within} s: {busy}")

    def _probed(self, *, is_patient: bool) -> str:
        """Who is busy, unless that was waited for long enough."""
        busy = {probe for probe in self._probes if probe()}
        self._given_up &= busy
        if not is_patient:
            self._given_up |= busy
        busy -= self._given_up
        return f"busy: {', '.join(map(repr, busy))}" if busy else ""


def on_its_way(embedded: Embedded, lines: Iterable[Line]) -> Iterator[str]:
    """What is on its way between a broker and its clients, and in the broker."""
    broker = embedded.broker
    for session in embedded.front.sessions:
        if what := _of_session(session):
            yield f"{what} at the broker's end of {session!r}"
    for line in lines:
        if what := _of_transport(line.transport):
            yield f"{what} at the client's end of {line!r}"
    if broker.unwritten or broker.writer.written < broker.records.batch.number - 1:
        yield f"something to be written: {broker.writer!r}"
    if any(host.wiring.busy for host in broker.hosts.values()):
        yield "messages to be delivered"


def _of_session(session: AmqpSession) -> str:
    if not session.is_open and not session.is_ending:
        return "a handshake"
    if session.is_sending or session.intake.streaming:
        return "a large body"
    return _of_transport(session.transport)


def _of_transport(transport: asyncio.Transport) -> str:
    return "unsent bytes" if transport.get_write_buffer_size() else ""
