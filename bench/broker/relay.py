"""Not a broker, but what the load generator sees of one: its ceiling.

Knows one message at a time, learnt from the first publish; counts the publishes of a read by their size and
sends as many deliveries, made beforehand, to every consumer, within its prefetch. It keeps nothing and routes
nothing, so what goes through it is the most the producer, the consumer and the sockets can do on these cores.

    python bench/broker/relay.py PORT
"""

from __future__ import annotations

import selectors
import socket
import struct
import sys
from typing import Final

import amqp
from load import PREFETCH
from peers import Peer, free_port, new_folder, start

READ: Final = 262_144
#: Deliveries of a block are numbered by one byte, so that a slice can number them all.
BLOCK: Final = 256

#: What each method is answered with; the arguments only where the bench looks at them.
ANSWERS: Final = {
    amqp.START_OK: (amqp.TUNE, struct.pack(">HIH", 2047, amqp.FRAME_MAX, 0)),
    amqp.OPEN: ((10, 41), b"\0"),
    amqp.CHANNEL_OPEN: ((20, 11), bytes(4)),
    amqp.EXCHANGE_DECLARE: ((40, 11), b""),
    amqp.QUEUE_BIND: ((50, 21), b""),
    amqp.QUEUE_DELETE: ((50, 41), bytes(4)),
    amqp.QOS: ((60, 11), b""),
    amqp.CONSUME: ((60, 21), amqp.short("bench")),
    amqp.CONFIRM_SELECT: ((85, 11), b""),
}


def start_relay() -> Peer:
    folder, port = new_folder("relay"), free_port()
    return Peer("relay", port, [start([sys.executable, __file__, str(port)], folder, {})], folder)


class Relay:
    """What all sessions share: the one message, and how many of it were published."""

    def __init__(self) -> None:
        self.published = 0
        self.message = b""
        self._block = bytearray()
        self._size = 0

    def learn(self, message: bytes) -> None:
        """Take a publish's three frames as the message that all others are copies of."""
        method_end = 8 + int.from_bytes(message[3:7], "big")
        route = message[13 : method_end - 2]
        delivery = amqp.method(amqp.DELIVER, amqp.short("bench") + bytes(9) + route) + message[method_end:]
        self.message, self._size = message, len(delivery)
        self._block = bytearray(delivery * BLOCK)
        self._block[24 :: self._size] = bytes(range(BLOCK))

    def deliveries(self, first: int, last: int) -> memoryview:
        """Those with the tags from `first` to `last`, which must be of one block."""
        for byte in range(1, 4):
            self._block[24 - byte :: self._size] = bytes([first >> 8 * byte & 255]) * BLOCK
        return memoryview(self._block)[first % BLOCK * self._size : (last % BLOCK + 1) * self._size]


class Session:
    """One connection; it reads what there is, and writes until it is written."""

    def __init__(self, connection: socket.socket, relay: Relay) -> None:
        self.connection = connection
        self._relay = relay
        self._rest = b""
        self._parts: list[bytes] = []
        self._published = self._delivered = self._acked = 0
        self._is_consumer = self._is_confirming = False

    def receive(self, data: bytes) -> None:
        data = self._rest + data
        at, before = 0, self._published
        while True:
            message = self._relay.message
            if message and data.startswith(message[:20], at):
                count = (len(data) - at) // len(message)
                self._count(count)
                at += count * len(message)
                if not count:
                    break
            elif len(data) >= (end := at + _frame_size(data, at)):
                self._frame(data[at:end])
                at = end
            else:
                break
        self._rest = data[at:]
        if self._is_confirming and self._published > before:
            self.connection.sendall(amqp.ack(self._published))

    def pump(self) -> None:
        """Deliver what is published and the prefetch allows."""
        last = min(self._relay.published, self._acked + PREFETCH) if self._is_consumer else 0
        while self._delivered < last:
            first = self._delivered + 1
            self._delivered = min(last, first | BLOCK - 1)
            self.connection.sendall(self._relay.deliveries(first, self._delivered))

    def _frame(self, frame: bytes) -> None:
        if frame.startswith(b"AMQP"):
            self._answer((10, 10), bytes(10))
            return
        name = struct.unpack_from(">HH", frame, 7)
        if self._parts or name == amqp.PUBLISH:
            self._learn(frame)
        elif name == amqp.ACK:
            self._acked = struct.unpack_from(">Q", frame, 11)[0]
        elif name == amqp.QUEUE_DECLARE:
            self._declare(frame)
        elif name != amqp.TUNE_OK:
            self._is_consumer |= name == amqp.CONSUME
            self._is_confirming |= name == amqp.CONFIRM_SELECT
            self._answer(*ANSWERS[name])

    def _learn(self, frame: bytes) -> None:
        self._parts.append(frame)
        if len(self._parts) == 3:  # noqa: PLR2004 - method, header, body
            self._relay.learn(b"".join(self._parts))
            self._parts.clear()
            self._count(1)

    def _declare(self, frame: bytes) -> None:
        name_end = 14 + frame[13]
        if not frame[name_end] & 1:  # not passive: a new round begins
            self._relay.published, self._relay.message = 0, b""
        answer = frame[13:name_end] + struct.pack(">II", self._relay.published, 0)
        self._answer((50, 11), answer)

    def _count(self, count: int) -> None:
        self._published += count
        self._relay.published += count

    def _answer(self, name: amqp.Method, arguments: bytes) -> None:
        self.connection.sendall(amqp.method(name, arguments))


def _frame_size(data: bytes, at: int) -> int:
    """Of the frame that begins there; a protocol header counts as one."""
    return 8 if data.startswith(b"AMQP", at) else 8 + int.from_bytes(data[at + 3 : at + 7], "big")


def serve(port: int) -> None:
    relay = Relay()
    sessions: dict[socket.socket, Session] = {}
    with socket.create_server((amqp.HOST, port)) as listener, selectors.DefaultSelector() as ready:
        ready.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in ready.select():
                connection = key.fileobj
                assert isinstance(connection, socket.socket)
                if connection is listener:
                    connection, _ = listener.accept()
                    # A whole prefetch of small messages fits, so that no slow consumer stops the others.
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
                    sessions[connection] = Session(connection, relay)
                    ready.register(connection, selectors.EVENT_READ)
                elif data := _received(connection):
                    sessions[connection].receive(data)
                else:
                    ready.unregister(connection)
                    del sessions[connection]
                    connection.close()
            for session in sessions.values():
                session.pump()


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(READ)
    except ConnectionError:
        return b""


if __name__ == "__main__":
    serve(int(sys.argv[1]))
