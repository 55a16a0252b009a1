"""Messages that pass: one producer, one consumer, published and delivered at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import amqp
from crew import run_together
from load import consuming, producing
from report import Line, Row, rate

if TYPE_CHECKING:
    from collections.abc import Callable

    from peers import Peer

QUEUE: Final = "bench.pass"
#: Unconfirmed publishes.
WINDOW: Final = 1000


def passing(body_size: int, *, persistent: bool = False) -> Callable[[Peer, int], tuple[float]]:
    def measure(peer: Peer, count: int) -> tuple[float]:
        message = amqp.message(QUEUE, bytes(body_size), mode=2 if persistent else 1)
        with amqp.connect_channel(peer.port) as control:
            amqp.declare(control, QUEUE, durable=persistent)
            (begun, confirmed), (_, consumed) = run_together(
                producing(peer.port, message, count, WINDOW if persistent else 0),
                consuming(peer.port, [QUEUE], count),
            )
            amqp.delete(control, QUEUE)
        return (count / (max(confirmed, consumed) - begun),)

    return measure


ROWS: Final = (
    Row(
        key="transient",
        lines=(Line(name="transient, 100 B, prefetch 1000", shown=rate, limit=2.5),),
        measure=passing(100),
        count=400_000,
        quick_count=100_000,
    ),
    Row(
        key="persistent",
        lines=(Line(name="persistent, 100 B, confirms in a window of 1000", shown=rate, limit=2.0),),
        measure=passing(100, persistent=True),
        count=150_000,
        quick_count=30_000,
    ),
    Row(
        key="1k",
        lines=(Line(name="transient, 1 KiB", shown=rate, limit=1.5),),
        measure=passing(1024),
        count=150_000,
        quick_count=30_000,
    ),
    Row(
        key="16k",
        lines=(Line(name="transient, 16 KiB", shown=rate, limit=1.5),),
        measure=passing(16_384),
        count=40_000,
        quick_count=10_000,
    ),
)
