"""AMQP session: one client's connection, on asyncio.

Bytes go to the decoder, its items to the intake; the way out is in `output.py`. A client's mistake closes
its channel or its connection; nothing it sends may raise past this file.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from penstock.server.amqp.greeting import Greeting, Introduction
from penstock.server.amqp.heartbeat import Heartbeat
from penstock.server.amqp.intake import Intake
from penstock.server.amqp.output import ANSWERS_MOST, WRITE_HIGH, Output
from penstock.server.authentication import Peer
from penstock.wire.amqp import ServerDecoder, method_frame
from penstock.wire.amqp.constants import ReplyCode
from penstock.wire.amqp.methods import ChannelClose, ConnectionBlocked, ConnectionClose, ConnectionUnblocked

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.broker.host import VirtualHost
    from penstock.server.amqp.channel import Channel
    from penstock.server.amqp.errors import ChannelFault
    from penstock.server.amqp.front import AmqpFront
    from penstock.server.guard import Guard
    from penstock.wire.amqp.methods import Method
    from penstock.wiring import Connection

__all__ = ["AmqpSession"]

log = logging.getLogger(__name__)

#: Bytes from all clients after which memory is looked at, however soon that is: a second of a fast publisher
#: is half a gigabyte.
LOOK_AFTER: Final = 16 * 1024 * 1024


class AmqpSession(Output):
    """A client's connection from its first byte to its last."""

    __slots__ = (
        "_holds",
        "channel_max",
        "connection",
        "deadline",
        "decoder",
        "greeting",
        "guard",
        "has_published",
        "hears_blocked",
        "hears_cancel",
        "host",
        "intake",
        "introduction",
        "is_open",
        "name",
        "peer",
        "received",
        "user_name",
    )

    #: Why a session is not read from: an alarm, a large body on its way to disk, answers nobody reads.
    BLOCKED: Final = 1
    WRITING: Final = 2
    UNREAD: Final = 4

    # Known once the socket is there
    peer: Peer
    # Known once the handshake is done
    connection: Connection
    host: VirtualHost
    guard: Guard

    def __init__(self, front: AmqpFront) -> None:
        super().__init__(front)
        self.decoder = ServerDecoder(front.limits, front.interned)
        self.heartbeat = Heartbeat(self)
        self.intake = Intake(self)
        self.greeting: Greeting | None = None
        #: What happens if the client does not introduce itself, or take leave, in time.
        self.deadline: asyncio.TimerHandle | None = None
        self.is_open = False
        #: How many channels may be open at a time, as agreed; 0 for any number.
        self.channel_max = 0
        self.name = self.user_name = ""
        self.introduction = Introduction()
        #: Bytes from the client so far.
        self.received = 0
        self.hears_cancel = self.hears_blocked = False
        self.has_published = False
        self._holds = 0

    def __repr__(self) -> str:
        return f"<AmqpSession {self.name} of {self.user_name!r}, {len(self.channels)} channels>"

    # The socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]
        self.transport.set_write_buffer_limits(WRITE_HIGH)
        host, port = (self.transport.get_extra_info("peername") or ("", 0))[:2]
        # Who comes from this very process, by a socket pair, has no address.
        self.name = f"{host}:{port}" if host else "here"
        tls = self.transport.get_extra_info("ssl_object")
        certificate = (tls.getpeercert() if tls is not None else None) or {}
        self.peer = Peer(address=host, is_tls=tls is not None, certificate=certificate)
        self.greeting = Greeting(self)
        self.front.joined(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        self.heartbeat.stop()
        self.front.left(self)
        self.leave()

    def leave(self) -> None:
        """The client has gone, or is going: what it had for itself is for others now."""
        self.is_ending = True
        self.intake.forget()
        self.stop_outflow()
        if self.is_open:
            self.is_open = False
            for channel in self.channels.values():
                channel.is_open = False
                self.front.counted.confirmed += channel.publishing.confirmed
            self.channels.clear()
            self.host.wiring.disconnect(self.connection, self.broker.now)
            self.host.clear_away()
            self.broker.turn()

    def get_buffer(self, sizehint: int) -> memoryview:
        """Where the loop reads to; it calls `buffer_updated` before it reads for anybody else."""
        return self.front.reads

    def buffer_updated(self, nbytes: int) -> None:
        self.data_received(bytes(self.front.reads[:nbytes]))
        if nbytes == len(self.front.reads):
            self._give_way()

    def _give_way(self) -> None:
        """A client that sends more than a read takes is read on after the others have had their turn.

        libuv reads up to 32 times from one that has more: before a flood, others waited for half a second.
        """
        if not self._holds and not self.transport.is_closing():
            self.transport.pause_reading()
            asyncio.get_running_loop().call_soon(self._read_on)

    def _read_on(self) -> None:
        if not self._holds and not self.transport.is_closing():
            self.transport.resume_reading()

    def data_received(self, data: bytes) -> None:
        """All that a read has brought."""
        self.heartbeat.heard()
        self.broker.refresh()
        try:
            self.intake.take(self.decoder.receive(data))
        except Exception as error:  # noqa: BLE001 (whatever it is, it concerns this client only)
            self._excuse(error)
        self.broker.turn()
        front = self.front
        self.received += len(data)
        front.heard += len(data)
        if front.heard > LOOK_AFTER:
            front.look()

    def act(self, work: Callable[[], None]) -> None:
        self.broker.refresh()
        try:
            work()
        except Exception as error:  # noqa: BLE001 (likewise)
            self._excuse(error)
        self.broker.turn()

    def _excuse(self, error: Exception) -> None:
        # Our own mistake, never the client's: it must not take the others down.
        log.error("internal error in %r", self, exc_info=error)
        self.end(ReplyCode.INTERNAL_ERROR, "internal error")

    # Whether the client is read from

    def hold(self, reason: int) -> None:
        """Read nothing from the client for a while; what was read already is parked."""
        if not self._holds:
            self.transport.pause_reading()
            self.intake.park()
        self._holds |= reason

    def release(self, reason: int) -> None:
        """Go on, unless there is another reason not to."""
        if self._holds & reason:
            self._holds &= ~reason
            if not self._holds:
                self.transport.resume_reading()
                self.intake.resume()

    @property
    def is_held(self) -> bool:
        """Whether the client is not read from."""
        return self._holds != 0

    def mind_unread(self, size: int) -> None:
        if not size:
            self.release(self.UNREAD)
        elif size > ANSWERS_MOST and not self.is_ending:
            self.hold(self.UNREAD)

    # Ends

    def fail(self, channel: Channel, fault: ChannelFault, class_id: int, method_id: int) -> None:
        """Tell the client of its mistake, by closing the channel, or the connection for the hard ones."""
        if fault.code.ends_connection:
            self.end(fault.code, fault.detail, class_id, method_id)
            return
        self.decoder.discard(channel.number)
        close = ChannelClose(fault.code, fault.code.text(fault.detail), class_id, method_id)
        self.intake.fail(channel.number, close)

    def end(self, code: ReplyCode, detail: str, class_id: int = 0, method_id: int = 0) -> None:
        """Close the connection, and say why."""
        self.close(ConnectionClose(code, code.text(detail), class_id, method_id))

    def close(self, close: Method) -> None:
        """Close the connection: of what is under way, nothing but the close leaves."""
        if self.is_ending:
            return
        self.is_ending = True
        self.decoder.discard(0)
        for number in list(self.channels):
            self.intake.drop(number)
        self.intake.forget()
        self.stop_outflow()
        self.release(self._holds)
        self.out.append(method_frame(0, close))
        self.will_flush()
        self.front.expects_farewell(self)

    @property
    def is_busy(self) -> bool:
        """Whether something is in hand, or large and on its way in or out."""
        in_hand = any(channel.ledger.unsettled for channel in self.channels.values())
        return in_hand or self.is_sending or bool(self.intake.streaming)

    # Alarms

    def publishes(self) -> None:
        """The client publishes for the first time: alarms concern it from now on."""
        self.has_published = True
        self.block(self.front.blocked)

    def block(self, reason: str | None) -> None:
        """Stop reading from a client that publishes into an alarm; None lets it go on."""
        is_blocked = bool(self._holds & self.BLOCKED)
        if (reason is not None) == is_blocked or not (self.is_open and self.has_published) or self.is_ending:
            return
        if self.hears_blocked:
            method = ConnectionUnblocked() if reason is None else ConnectionBlocked(reason)
            self.out.append(method_frame(0, method))
            self.will_flush()
        if reason is None:
            self.release(self.BLOCKED)
        else:
            self.hold(self.BLOCKED)
