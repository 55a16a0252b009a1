"""What the AMQP wire costs: messages a second through the decoder and the encoder, one core, no socket.

    python bench/wire.py [messages]

Bodies of 100 bytes in reads of 64 KiB unless said. "alike": same route, properties and size; "varied": fifty
routes, sizes from 50 to 150; "ids": a message id of its own for each; "keys": a routing key likewise.
"""

from __future__ import annotations

import random
import statistics
import sys
from time import process_time
from typing import TYPE_CHECKING

from penstock.wire.amqp import (
    PROTOCOL_HEADER,
    BasicProperties,
    ClientDecoder,
    DeliverEncoder,
    PublishArgs,
    PublishEncoder,
    ServerDecoder,
    confirm_frames,
    content_frames,
    method_frame,
)
from penstock.wire.amqp.methods import BasicAck

if TYPE_CHECKING:
    from collections.abc import Callable

READ = 65_536
PUMP = 256
FRAME_MAX = 131_072
ROUTE = PublishArgs("events", "user.created")
PROPERTIES = BasicProperties.of(content_type="text/plain", delivery_mode=2)
BODY = bytes(100)


def published(count: int, kind: str, body_size: int = 100) -> bytes:
    rng = random.Random(1)
    encoder = PublishEncoder(1, FRAME_MAX)
    out: list[bytes] = []
    for i in range(count):
        route, properties, body = ROUTE, PROPERTIES, bytes(body_size)
        if kind == "varied":
            route, body = PublishArgs("events", f"user.{i % 50}"), bytes(rng.randrange(50, 151))
        elif kind == "keys":
            route = PublishArgs("events", f"user.{i}")
        elif kind == "ids":
            properties = PROPERTIES.replace(message_id=f"message-{i}")
        encoder.publish(out, route, properties, body)
    return b"".join(out)


def delivered(count: int) -> bytes:
    encoder = DeliverEncoder(1, "ctag1.b7f4", FRAME_MAX)
    frames = content_frames(1, PROPERTIES, BODY, FRAME_MAX)
    out: list[bytes] = []
    for tag in range(count):
        encoder.deliver(out, tag, ROUTE, frames, redelivered=False)
    return b"".join(out)


def decoding(data: bytes, count: int, *, is_server: bool = True) -> Callable[[], None]:
    reads = [data[at : at + READ] for at in range(0, len(data), READ)]

    def run() -> None:
        decoder = ServerDecoder() if is_server else ClientDecoder()
        decoder.receive(PROTOCOL_HEADER if is_server else b"")
        assert sum(len(decoder.receive(read)) for read in reads) == count

    return run


def delivering(count: int, channel: int, routes: int) -> Callable[[], None]:
    frames = content_frames(1, PROPERTIES, BODY, FRAME_MAX)
    all_routes = [PublishArgs("events", f"user.{i}") for i in range(routes)]

    def run() -> None:
        encoder = DeliverEncoder(channel, "ctag1.b7f4", FRAME_MAX)
        for first in range(0, count, PUMP):
            out: list[bytes] = []
            for tag in range(first, first + PUMP):
                encoder.deliver(out, tag, all_routes[tag % routes], frames, redelivered=False)
            b"".join(out)

    return run


def publishing(count: int) -> Callable[[], None]:
    def run() -> None:
        encoder = PublishEncoder(1, FRAME_MAX)
        for _ in range(0, count, PUMP):
            out: list[bytes] = []
            for _ in range(PUMP):
                encoder.publish(out, ROUTE, PROPERTIES, BODY)
            b"".join(out)

    return run


def confirming(count: int) -> Callable[[], None]:
    def run() -> None:
        for first in range(0, count, PUMP):
            confirm_frames([], 1, range(first, first + PUMP), first + PUMP)

    return run


def rate(run: Callable[[], None], count: int) -> float:
    """The median of five runs, messages a second of processor time: the neighbours' work does not count."""
    seconds = []
    for _ in range(5):
        before = process_time()
        run()
        seconds.append(process_time() - before)
    return count / statistics.median(seconds)


def main(count: int) -> None:
    acks = b"".join(method_frame(1, BasicAck(tag)) for tag in range(count))
    few = count // 20
    rows: list[tuple[str, Callable[[], None], int]] = [
        ("decode publishes, alike", decoding(published(count, "alike"), count), count),
        ("decode publishes, varied", decoding(published(count, "varied"), count), count),
        ("decode publishes, ids", decoding(published(count, "ids"), count), count),
        ("decode publishes, keys", decoding(published(count, "keys"), count), count),
        ("decode publishes, 16 KiB", decoding(published(few, "alike", 16_384), few), few),
        ("decode acks", decoding(acks, count), count),
        ("decode deliveries", decoding(delivered(count), count, is_server=False), count),
        ("encode deliveries", delivering(count, 1, 1), count),
        ("encode deliveries, 50 routes", delivering(count, 1, 50), count),
        ("encode deliveries, other channel", delivering(count, 2, 1), count),
        ("encode publishes", publishing(count), count),
        ("encode confirms, 256 at once", confirming(count), count),
    ]
    for name, run, messages in rows:
        print(f"{name:34}{rate(run, messages):>12,.0f} /s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
