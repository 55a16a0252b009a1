"""Messages that wait: all published while nobody consumes, then all consumed while nobody publishes."""

from __future__ import annotations

from time import perf_counter, sleep
from typing import TYPE_CHECKING, Final

import amqp
from crew import PATIENCE, run_together
from load import Span, consuming, publish
from report import Line, Row, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from crew import Wait
    from peers import Peer

QUEUE: Final = "bench.wait"


def measure(peer: Peer, count: int) -> tuple[float, float]:
    with amqp.connect_channel(peer.port) as control:
        amqp.declare(control, QUEUE)
        [(begun, published)] = run_together(publishing(peer.port, count))
        [(asked, consumed)] = run_together(consuming(peer.port, [QUEUE], count))
        amqp.delete(control, QUEUE)
    return count / (published - begun), count / (consumed - asked)


def publishing(port: int, count: int) -> Callable[[Wait], Span]:
    """Work that publishes, and is done when the broker says that all are in the queue."""

    def work(_: Wait) -> Span:
        connection = amqp.connect_channel(port)
        message = amqp.message(QUEUE, bytes(100))
        begun = perf_counter()
        publish(connection, message, count)
        # Asked again and again: RabbitMQ answers before its queue has taken all that came earlier.
        while (waiting := amqp.declare(connection, QUEUE, passive=True)) != count:
            assert perf_counter() < begun + PATIENCE, f"{waiting} of {count} wait"
            sleep(0.001)
        return begun, perf_counter()

    return work


ROWS: Final = (
    Row(
        key="backlog",
        lines=(
            Line(name="publish only, 100 B", shown=rate, limit=3),
            Line(name="consume what waits, prefetch 1000", shown=rate, limit=3),
        ),
        measure=measure,
        count=1_000_000,
        quick_count=60_000,
    ),
)
