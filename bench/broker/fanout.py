"""Each message to ten queues, each with a consumer on a connection of its own; deliveries count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import amqp
from crew import run_together
from load import consuming, producing
from report import Line, Row, rate

if TYPE_CHECKING:
    from peers import Peer

EXCHANGE: Final = "bench.fan"
QUEUES: Final = [f"bench.fan.{number}" for number in range(10)]


def measure(peer: Peer, count: int) -> tuple[float]:
    message = amqp.message("", bytes(100), exchange=EXCHANGE)
    with amqp.connect_channel(peer.port) as control:
        fanout = bytes(2) + amqp.short(EXCHANGE) + amqp.short("fanout") + bytes(5)
        amqp.call(control, amqp.EXCHANGE_DECLARE, fanout)
        for queue in QUEUES:
            amqp.declare(control, queue)
            binding = bytes(2) + amqp.short(queue) + amqp.short(EXCHANGE) + bytes(6)
            amqp.call(control, amqp.QUEUE_BIND, binding)
        (begun, _), (_, done) = run_together(
            producing(peer.port, message, count), consuming(peer.port, QUEUES, count)
        )
        for queue in QUEUES:
            amqp.delete(control, queue)
    return (len(QUEUES) * count / (done - begun),)


ROWS: Final = (
    Row(
        key="fanout",
        lines=(Line(name="fan-out to 10 queues, 100 B, deliveries", shown=rate, limit=2),),
        measure=measure,
        count=60_000,
        quick_count=8_000,
    ),
)
