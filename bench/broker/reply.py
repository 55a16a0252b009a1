"""Request and reply over direct reply-to, one at a time: how long until the answer is here."""

from __future__ import annotations

from itertools import pairwise
from statistics import quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Final

import amqp
from crew import run_together
from report import Line, Row, latency

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from crew import Wait
    from peers import Peer

QUEUE: Final = "bench.ask"
#: RabbitMQ's name for "answer me on this channel".
DIRECT: Final = "amq.rabbitmq.reply-to"
BODY: Final = bytes(100)


def measure(peer: Peer, count: int) -> tuple[float, float]:
    with amqp.connect_channel(peer.port) as control:
        amqp.declare(control, QUEUE)
        _, times = run_together(answering(peer.port, count), asking(peer.port, count))
        amqp.delete(control, QUEUE)
    centiles = quantiles(times, n=100)
    return centiles[49], centiles[98]


def answering(port: int, count: int) -> Callable[[Wait], None]:
    def work(wait: Wait) -> None:
        connection = amqp.connect_channel(port)
        amqp.consume(connection, QUEUE, no_ack=True)
        wait()
        _, header, _ = request = _read_delivery(connection)
        size = sum(map(len, request))
        # Of the properties, delivery mode and reply-to are set, in this order; all requests have the same.
        reply = amqp.message(header[23 : 23 + header[22]].decode(), BODY)
        connection.sendall(reply)
        for _ in range(count - 1):
            amqp.read(connection, size)
            connection.sendall(reply)
        wait()

    return work


def asking(port: int, count: int) -> Callable[[Wait], list[float]]:
    def work(wait: Wait) -> list[float]:
        connection = amqp.connect_channel(port)
        amqp.consume(connection, DIRECT, no_ack=True)
        request = amqp.message(QUEUE, BODY, reply_to=DIRECT)
        wait()
        connection.sendall(request)
        size = sum(map(len, _read_delivery(connection)))
        instants = [perf_counter()]
        for _ in range(count - 1):
            connection.sendall(request)
            amqp.read(connection, size)
            instants.append(perf_counter())
        wait()
        return [after - before for before, after in pairwise(instants)]

    return work


def _read_delivery(connection: socket.socket) -> tuple[bytes, bytes, bytes]:
    return amqp.read_frame(connection), amqp.read_frame(connection), amqp.read_frame(connection)


ROWS: Final = (
    Row(
        key="reply",
        lines=(
            Line(name="request and reply, median", shown=latency, limit=0.8, is_at_least=False),
            Line(name="request and reply, 99th percentile", shown=latency, limit=0.8, is_at_least=False),
        ),
        measure=measure,
        count=10_000,
        quick_count=2_000,
        has_ceiling=False,
    ),
)
