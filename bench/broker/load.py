"""The two sides of a load: publish as fast as the peer takes it, consume as fast as it gives.

One system call carries hundreds of messages, and no Python runs for a single one: all publishes are the same
bytes, and so deliveries are counted by their size. The last delivery's tag proves the count.
"""

from __future__ import annotations

import select
import socket
import struct
from time import perf_counter
from typing import TYPE_CHECKING, Final

import amqp

if TYPE_CHECKING:
    from collections.abc import Callable

    from crew import Wait

#: Bytes a send carries, about.
SEND: Final = 65_536
#: Messages between two acks, each of which settles them all.
ACK_EVERY: Final = 250
#: Publishes are held back until this many of the confirm window are free.
WINDOW_STEP: Final = 100
PREFETCH: Final = 1000
#: Bytes that must have come before a consumer looks; far less than PREFETCH small messages.
LOW_MARK: Final = 32_768

#: When a work began and when it was done, by the clock that all processes share.
Span = tuple[float, float]


def publish(connection: socket.socket, message: bytes, count: int) -> None:
    at_once = max(1, SEND // len(message))
    many = message * at_once
    for _ in range(count // at_once):
        connection.sendall(many)
    connection.sendall(message * (count % at_once))


def publish_confirmed(connection: socket.socket, message: bytes, count: int, window: int) -> None:
    """Publish with at most `window` unconfirmed; returns when all are confirmed."""
    many = memoryview(message * window)
    sent = confirmed = 0
    early: set[int] = set()  # confirmed before one that came earlier
    data = b""
    while confirmed < count:
        room = min(count - sent, window - (sent - confirmed))
        if room >= min(WINDOW_STEP, count - sent) > 0:
            connection.sendall(many[: room * len(message)])
            sent += room
        data += _confirms(connection, sent, confirmed)
        whole = len(data) - len(data) % amqp.ACK_FRAME.size
        floor = confirmed - len(early)
        for _, _, _, name, tag, multiple, _ in amqp.ACK_FRAME.iter_unpack(data[:whole]):
            if name != amqp.ACK_METHOD:
                raise amqp.UnexpectedAnswer(f"wanted confirms, got {data[:200]!r}")
            if multiple:
                floor = max(floor, tag)
                early = {one for one in early if one > floor}
            else:
                early.add(tag)
            while floor + 1 in early:
                floor += 1
                early.remove(floor)
        confirmed = floor + len(early)
        data = data[whole:]


def _confirms(connection: socket.socket, sent: int, confirmed: int) -> bytes:
    try:
        return amqp.read_some(connection, SEND)
    except amqp.UnexpectedAnswer as error:
        raise amqp.UnexpectedAnswer(f"{sent} sent, {confirmed} confirmed, then: {error}") from error


class Consumer:
    """Counts and acknowledges the deliveries of one connection; `consume` has been called on it."""

    def __init__(self, connection: socket.socket) -> None:
        self.count = 0
        self._connection = connection
        self._readable = select.poll()
        self._readable.register(connection, select.POLLIN)
        self._buffer = bytearray()
        self._size = 0
        self._low_mark = 1

    def take(self, count: int) -> None:
        """Read `count` deliveries, at most ACK_EVERY, and acknowledge them."""
        if not self._size:
            self._size = sum(len(amqp.read_frame(self._connection)) for _ in range(3))
            self._buffer = bytearray(self._size * ACK_EVERY)
            self.count, count = 1, count - 1
        if count:
            self.count += count
            self._read((count - 1) * self._size, socket.MSG_TRUNC)
            self._read(self._size)
            self._check()
        self._connection.sendall(amqp.ack(self.count))

    def _read(self, wanted: int, flags: int = 0) -> None:
        """Fill the buffer; with MSG_TRUNC the kernel drops the bytes instead, uncopied (tcp(7))."""
        view = memoryview(self._buffer)
        while wanted:
            # The kernel wakes us when there is enough to be worth it, not for each segment: measured on
            # RabbitMQ, 0.6 µs of our processor time a message instead of 1.7. Only poll is safe with it:
            # a recv that waits has taken part of what the mark counts.
            mark = min(LOW_MARK, wanted)
            if mark != self._low_mark:
                self._connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, mark)
                self._low_mark = mark
            if not self._readable.poll(amqp.SILENCE * 1000):
                raise amqp.UnexpectedAnswer(f"silence for {amqp.SILENCE} s before delivery {self.count}")
            read = self._connection.recv_into(view, wanted, socket.MSG_DONTWAIT | flags)
            if not read:
                raise amqp.UnexpectedAnswer(f"the connection ended before delivery {self.count}")
            wanted -= read
            view = view[read:]

    def _check(self) -> None:
        """The delivery in the buffer must be the one we think it is, or we have miscounted."""
        (tag,) = struct.unpack_from(">Q", self._buffer, 12 + self._buffer[11])
        if tag != self.count:
            raise amqp.UnexpectedAnswer(f"delivery {self.count} has the tag {tag}")


def take_all(consumers: list[Consumer], count: int) -> float:
    """Take `count` deliveries from each, turn by turn. Returns when the last came."""
    while left := count - consumers[0].count:
        for consumer in consumers:
            consumer.take(min(ACK_EVERY, left))
    return perf_counter()


def producing(port: int, message: bytes, count: int, window: int = 0) -> Callable[[Wait], Span]:
    """Work that publishes `count` messages, with confirms if there is a window."""

    def work(wait: Wait) -> Span:
        connection = amqp.connect_channel(port)
        if window:
            amqp.call(connection, amqp.CONFIRM_SELECT, b"\0")
        wait()
        begun = perf_counter()
        if window:
            publish_confirmed(connection, message, count, window)
        else:
            publish(connection, message, count)
        done = perf_counter()
        wait()  # an end of the connection could overtake its last publishes
        return begun, done

    return work


def consuming(port: int, queues: list[str], count: int) -> Callable[[Wait], Span]:
    """Work that takes `count` messages from each queue, a connection each."""

    def work(wait: Wait) -> Span:
        connections = [amqp.connect_channel(port) for _ in queues]
        begun = perf_counter()
        for connection, queue in zip(connections, queues, strict=True):
            amqp.consume(connection, queue, prefetch=PREFETCH)
        wait()
        done = take_all([Consumer(connection) for connection in connections], count)
        wait()
        return begun, done

    return work
