"""Beanstalk session: one client's connection, on asyncio.

All complete commands of a read are done in one pass; the way out is in `output.py`. A reserve for which there
is no job keeps what comes behind it waiting. Nothing a client sends may raise past this file.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from penstock.server.authentication import Peer
from penstock.server.beanstalk.output import WRITE_HIGH, Output
from penstock.server.beanstalk.reserving import Reserving
from penstock.server.beanstalk.tubes import DEFAULT
from penstock.server.beanstalk.verbs import RUNS, VERBS
from penstock.wire.beanstalk import Decoder, Verb, replies

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from penstock.server.beanstalk.front import BeanstalkFront
    from penstock.server.beanstalk.tubes import Tube
    from penstock.server.guard import Guard
    from penstock.wire.beanstalk import Command
    from penstock.wiring import Connection

__all__ = ["BeanstalkSession"]

log = logging.getLogger(__name__)

#: Bytes of commands that may wait behind one that waits, before the client is not read from.
PARKED_MOST: Final = 1024 * 1024
#: What a client may say before it is known.
_OPEN: Final = frozenset({Verb.AUTH, Verb.QUIT, Verb.REFUSED})


class BeanstalkSession(Output):
    """A client's connection from its first byte to its last."""

    __slots__ = (
        "_at",
        "_commands",
        "_deadline",
        "_entering",
        "_is_going_on",
        "_is_paused",
        "_parked",
        "connection",
        "decoder",
        "guard",
        "is_half_closed",
        "is_producer",
        "is_worker",
        "name",
        "peer",
        "reserving",
        "used",
    )

    # Known once the socket is there
    peer: Peer
    connection: Connection
    reserving: Reserving
    #: Where its jobs go.
    used: Tube

    def __init__(self, front: BeanstalkFront) -> None:
        super().__init__(front)
        self.decoder = Decoder(front.settings.max_job_bytes)
        self.name = ""
        self.guard: Guard | None = None
        self.is_half_closed = self.is_producer = self.is_worker = False
        #: Commands, and how many of them are done.
        self._commands: list[Command] = []
        self._at = 0
        self._parked = 0
        self._is_paused = False
        #: Under way while it is found out who the client is.
        self._entering: asyncio.Task[None] | None = None
        #: What happens if it does not say who it is in time.
        self._deadline: asyncio.TimerHandle | None = None
        self._is_going_on = False

    def __repr__(self) -> str:
        return f"<BeanstalkSession {self.name}, {len(self._commands) - self._at} commands wait>"

    # The socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        front = self.front
        self.transport = transport  # type: ignore[assignment]
        self.transport.set_write_buffer_limits(WRITE_HIGH)
        host, port = (self.transport.get_extra_info("peername") or ("", 0))[:2]
        self.name = f"{host}:{port}" if host else "here"
        is_tls = self.transport.get_extra_info("ssl_object") is not None
        self.peer = Peer(address=host, is_tls=is_tls)
        self.connection = front.host.wiring.connect(self.name)
        self.reserving = Reserving(self, self.connection)
        front.broker.refresh()
        tube = front.tubes.maybe_open(DEFAULT)
        if tube is None or not front.joined(self):
            self.is_ending = True
            self.transport.abort()
            return
        self.used = tube
        tube.users += 1
        self.reserving.watch(tube)
        self.enter(front.entering.as_guest(self.peer))

    def connection_lost(self, exc: Exception | None) -> None:
        front = self.front
        self.is_ending = True
        self._commands.clear()
        self._at = 0
        self.stop_outflow()
        if self._deadline is not None:
            self._deadline.cancel()
        if self not in front.sessions:
            return
        front.left(self)
        front.broker.refresh()
        # What it had in hand is for others now, and nobody is to blame (beanstalk protocol: quit).
        front.host.wiring.disconnect(self.connection, front.broker.now, failed=False)
        self.reserving.leave()
        self.used.users -= 1
        front.tubes.settle(self.used)
        front.broker.turn()

    def data_received(self, data: bytes) -> None:
        """All that a read has brought."""
        if self.is_ending:
            return
        self._commands += self.decoder.receive(data)
        if self._is_stuck:
            self._parked += len(data)
            if self._parked > PARKED_MOST:
                self._is_paused = True
                self.transport.pause_reading()
        self.act(lambda: None)
        self.front.hear(len(data))

    def eof_received(self) -> bool:
        """The client will say no more; it may still want the replies to what it said."""
        self.is_half_closed = True
        self.act(self.reserving.give_up_all)
        # TLS cannot be closed by half.
        return not self.peer.is_tls and not self.transport.is_closing()

    # Work

    @property
    def _is_stuck(self) -> bool:
        """Whether the next command has to wait."""
        waits = self.reserving.pending or self._entering is not None
        return bool(waits or self.is_ending or self.is_full)

    def act(self, work: Callable[[], None]) -> None:
        """Do something for the client, and what it has asked for, with a turn after it."""
        broker = self.front.broker
        broker.refresh()
        noted = broker.unwritten
        try:
            work()
            self._work(noted)
        except Exception:
            # Our own mistake, never the client's: it must not take the others down.
            log.exception("internal error in %r", self)
            self.say(replies.INTERNAL_ERROR)
            self.end()
        self.mind_safety(noted)
        if self.is_half_closed and not self._is_stuck:
            self.end()
        broker.turn()

    def _work(self, noted: int) -> None:
        commands = self._commands
        while self._at < len(commands) and not self._is_stuck:
            self._do(commands)
            if self.has_said_much:
                # One read may ask for thousands of jobs: see in between whether the client takes them.
                self.mind_safety(noted)
                self.flush()
        if self._at >= len(commands):
            commands.clear()
            self._at = 0
            self._parked = 0
            if self._is_paused:
                self._is_paused = False
                self.transport.resume_reading()

    def _do(self, commands: list[Command]) -> None:
        at = self._at
        verb, argument = commands[at]
        if self.guard is None and verb not in _OPEN:
            self._at += 1
            self.say(replies.NOT_AUTHENTICATED)
            return
        run = RUNS.get(verb)
        if run is not None:
            # One that raises is not done again.
            self._at = len(commands)
            self._at = run(self, commands, at)
            self.front.commands[verb] += self._at - at
            return
        self._at += 1
        self.front.commands[verb] += 1
        VERBS[verb](self, argument)

    def go_on(self) -> None:
        """What kept the client waiting has come: do the rest when the turn that brought it is over."""
        if not self._is_going_on and (self._at < len(self._commands) or self.is_half_closed):
            self._is_going_on = True
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        self._is_going_on = False
        if not self.is_ending:
            self.act(lambda: None)

    def mind_flow(self) -> None:
        """Hand no jobs to a client that takes none."""
        ledger, flowing = self.reserving.ledger, not self.is_full
        if ledger.flowing is not flowing:
            ledger.flowing = flowing
            if flowing:
                ledger.wake()
                self.front.broker.turn_soon()

    # Who it is

    def enter(self, asked: Coroutine[None, None, Guard | None], answer: bytes = b"") -> None:
        """Find out what the client may do, and answer if it asked for it; commands wait meanwhile."""
        self._entering = asyncio.get_running_loop().create_task(self._enter(asked, answer))

    async def _enter(self, asked: Coroutine[None, None, Guard | None], answer: bytes) -> None:
        guard = await asked
        self._entering = None
        if self.is_ending:
            return
        if answer:
            self.say(replies.NOT_AUTHENTICATED if guard is None else answer)
        if guard is not None:
            self.guard = guard
        elif self._deadline is None:
            within = self.front.settings.handshake_timeout
            self._deadline = asyncio.get_running_loop().call_later(within, self._still_unknown)
        self.act(lambda: None)

    def _still_unknown(self) -> None:
        self._deadline = None
        if self.guard is None:
            log.warning("closing %s: it has not said who it is", self.name)
            self.transport.abort()

    def may(self, action: str, name: str) -> bool:
        """Whether the client may "configure", "write" to or "read" from a tube."""
        return self.guard is not None and self.guard.may(action, name)

    # The end

    def end(self) -> None:
        """Say what there is to say when the turn ends, and hang up when it may be said."""
        self.is_ending = True
        self._commands.clear()
        self._at = 0
        self.want_flush()

    @property
    def is_busy(self) -> bool:
        """Whether it has something in hand, or replies have not left."""
        return bool(self.reserving.ledger.unsettled) or self.is_sending
