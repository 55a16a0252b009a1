"""Connections that do nothing: the memory that one of them costs, over all the server's processes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

import amqp
from report import Line, Row, memory

if TYPE_CHECKING:
    from peers import Peer

#: Connections opened and closed before the first look, so that what is loaded at first use is there.
WARM_UP: Final = 50
#: Seconds a server has to put its memory in order.
SETTLING: Final = 3


def measure(peer: Peer, count: int) -> tuple[float]:
    for connection in [amqp.connect(peer.port) for _ in range(WARM_UP)]:
        connection.close()
    time.sleep(SETTLING)
    before = peer.resident()
    connections = [amqp.connect(peer.port) for _ in range(count)]
    time.sleep(SETTLING)
    after = peer.resident()
    for connection in connections:
        connection.close()
    return ((after - before) / count,)


ROWS: Final = (
    Row(
        key="idle",
        lines=(Line(name="memory of an idle connection", shown=memory, limit=0.5, is_at_least=False),),
        measure=measure,
        count=5_000,
        quick_count=5_000,
        has_ceiling=False,
        is_fresh=True,
    ),
)
