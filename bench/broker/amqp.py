"""Just enough AMQP 0-9-1 for a load generator: frames made beforehand, a handshake, exact reads.

Independent of penstock.wire on purpose, so that the bench does not share its mistakes. Sockets block, with
the kernel's own timeouts: a broker that falls silent ends the measurement, it does not hang it.
"""

from __future__ import annotations

import socket
import struct
from typing import Final

#: Where a peer listens; always on loopback.
HOST: Final = "127.0.0.1"
#: Seconds without a byte after which a peer counts as dead.
SILENCE: Final = 60
FRAME_MAX: Final = 131_072

METHOD, HEADER, BODY = 1, 2, 3
FRAME_END: Final = b"\xce"

START_OK, TUNE, OPEN, CHANNEL_OPEN = (10, 11), (10, 30), (10, 40), (20, 10)
TUNE_OK: Final = (10, 31)
EXCHANGE_DECLARE, QUEUE_DECLARE, QUEUE_BIND, QUEUE_DELETE = (40, 10), (50, 10), (50, 20), (50, 40)
QOS, CONSUME, PUBLISH, DELIVER, ACK = (60, 10), (60, 20), (60, 40), (60, 60), (60, 80)
CONFIRM_SELECT: Final = (85, 10)

#: A whole frame of basic.ack, sent by either side: type, channel, size, method, delivery tag, multiple, end.
ACK_FRAME: Final = struct.Struct(">BHIIQBB")
ACK_METHOD: Final = 60 << 16 | 80

Method = tuple[int, int]


class UnexpectedAnswer(Exception):
    """The peer said something else than the bench can go on with."""


def short(text: str) -> bytes:
    return struct.pack(">B", len(text)) + text.encode()


def frame(kind: int, payload: bytes, channel: int = 1) -> bytes:
    return struct.pack(">BHI", kind, channel, len(payload)) + payload + FRAME_END


def method(name: Method, arguments: bytes = b"", channel: int = 1) -> bytes:
    return frame(METHOD, struct.pack(">HH", *name) + arguments, channel)


def ack(tag: int) -> bytes:
    """Everything up to and including `tag`."""
    return ACK_FRAME.pack(METHOD, 1, 13, ACK_METHOD, tag, 1, 0xCE)


def message(key: str, body: bytes, *, exchange: str = "", mode: int = 1, reply_to: str = "") -> bytes:
    """The three frames of a publish. `mode` 2 is persistent."""
    flags, values = 0x1000, struct.pack(">B", mode)
    if reply_to:
        flags, values = flags | 0x0200, values + short(reply_to)
    return (
        method(PUBLISH, bytes(2) + short(exchange) + short(key) + b"\0")
        + frame(HEADER, struct.pack(">HHQH", 60, 0, len(body), flags) + values)
        + frame(BODY, body)
    )


def read(connection: socket.socket, size: int) -> bytes:
    data = read_some(connection, size, socket.MSG_WAITALL)
    if len(data) < size:
        raise UnexpectedAnswer(f"wanted {size} bytes, got {len(data)} and then silence or the end")
    return data


def read_some(connection: socket.socket, size: int, flags: int = 0) -> bytes:
    """At most `size` bytes, but not none."""
    try:
        data = connection.recv(size, flags)
    except BlockingIOError:
        raise UnexpectedAnswer(f"silence for {SILENCE} s") from None
    if not data:
        raise UnexpectedAnswer("the connection ended")
    return data


def read_frame(connection: socket.socket) -> bytes:
    """One whole frame, and not a byte more."""
    head = read(connection, 7)
    return head + read(connection, int.from_bytes(head[3:7], "big") + 1)


def expect(connection: socket.socket, name: Method) -> bytes:
    """Read a method frame that must be `name`. Returns its arguments."""
    answer = read_frame(connection)
    if answer[0] != METHOD or struct.unpack_from(">HH", answer, 7) != name:
        raise UnexpectedAnswer(f"wanted method {name}, got {answer[:200]!r}")
    return answer[11:-1]


def call(connection: socket.socket, name: Method, arguments: bytes = b"", channel: int = 1) -> bytes:
    """A method that is answered by the one that follows it, as 0-9-1 numbers them. Returns its arguments."""
    connection.sendall(method(name, arguments, channel))
    return expect(connection, (name[0], name[1] + 1))


def connect(port: int) -> socket.socket:
    """A connection as guest, past the handshake, without heartbeats or capabilities."""
    connection = socket.create_connection((HOST, port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
        connection.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", SILENCE, 0))
    connection.sendall(b"AMQP\0\0\x09\x01")
    expect(connection, (10, 10))
    login = b"\0guest\0guest"
    start_ok = bytes(4) + short("PLAIN") + struct.pack(">I", len(login)) + login + short("en_US")
    connection.sendall(method(START_OK, start_ok, 0))
    channels = struct.unpack_from(">H", expect(connection, TUNE))[0]
    connection.sendall(method(TUNE_OK, struct.pack(">HIH", channels, FRAME_MAX, 0), 0))
    call(connection, OPEN, short("/") + bytes(2), 0)
    return connection


def connect_channel(port: int) -> socket.socket:
    """A connection whose channel 1 is open."""
    connection = connect(port)
    call(connection, CHANNEL_OPEN, b"\0")
    return connection


def declare(connection: socket.socket, queue: str, *, durable: bool = False, passive: bool = False) -> int:
    """How many messages wait in the queue."""
    flags = durable << 1 | passive
    answer = call(connection, QUEUE_DECLARE, bytes(2) + short(queue) + bytes([flags]) + bytes(4))
    return int(struct.unpack_from(">I", answer, 1 + answer[0])[0])


def delete(connection: socket.socket, queue: str) -> None:
    call(connection, QUEUE_DELETE, bytes(2) + short(queue) + b"\0")


def consume(connection: socket.socket, queue: str, *, prefetch: int = 0, no_ack: bool = False) -> None:
    """Deliveries begin with the next frame; they are all of the same size if the messages are."""
    if prefetch:
        call(connection, QOS, struct.pack(">IHB", 0, prefetch, 0))
    call(connection, CONSUME, bytes(2) + short(queue) + short("bench") + bytes([no_ack << 1]) + bytes(4))
