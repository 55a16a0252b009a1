"""The part `rabbitmq` of bench/source.py: rows a second out of a full queue, by Spark and by the client.

Both sides are measured alike. Each runs, and is warm: many small batches and a whole round have gone before
what counts. Then it is frozen (SIGSTOP) while its queue is filled, so that nobody publishes while somebody
drains. What counts is the time from when it is let go until it is done with all: the client has had each
message and acknowledged it; Spark has brought each to its noop sink, and the spool was told that the batch
is over. Of the query, the process that takes the messages is frozen, and for lack of rows all of Spark waits
with it. While one is measured the other is frozen, so that no idle query takes anything from the client.
What the broker sends to a frozen one before its socket is full is the same few megabytes in both cases.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import re
import signal
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

import uvloop

from penstock.client import Queue, connect
from penstock.pipelines.spool.mark import committed_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

    from penstock.client import Delivery

#: RabbitMQ hangs up on who does not read for 15 s, and both ends on who says nothing for a minute: a queue
#: may take longer to fill, while somebody is frozen.
PATIENT: Final = "tcp_listen_options.send_timeout = 600000"
UNHURRIED: Final = "heartbeat=0"
#: As many in hand as the spool has.
PREFETCH: Final = 10_000
#: Lots that go before those that count, and their rows.
WARMING: Final = 60
LOT: Final = 1_000
#: Seconds for anything.
PATIENCE: Final = 300.0


class Rates:
    """Rows a second of both sides, in turns, each with a queue of its own."""

    def __init__(self, fill: Callable[[str, int], None], rows: int, rounds: int) -> None:
        """`fill` publishes so many rows to a queue."""
        self._fill = fill
        self._rows = rows
        self._rounds = rounds

    def measure(self, client: ClientAlone, query: Query) -> tuple[list[float], list[float]]:
        """The client's and the query's, of each round."""
        for side in (client, query):
            for _ in range(WARMING):
                self._fill(side.queue, LOT)
                side.wait(LOT)
        theirs, ours = [], []
        for _ in range(1 + self._rounds):
            theirs.append(self._rate(client, query))
            ours.append(self._rate(query, client))
        return theirs[1:], ours[1:]

    def _rate(self, side: ClientAlone | Query, other: ClientAlone | Query) -> float:
        with ExitStack() as meanwhile:
            with side.frozen():
                self._fill(side.queue, self._rows)
                meanwhile.enter_context(other.frozen())
                begun = time.perf_counter()
            return self._rows / (side.wait(self._rows) - begun)


@contextmanager
def frozen(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


# The client alone


class ClientAlone:
    """A process that drains a queue."""

    def __init__(self, queue: str, pid: int, said: Connection) -> None:
        self.queue = queue
        self._pid = pid
        self._said = said

    def frozen(self) -> Any:
        return frozen(self._pid)

    def wait(self, rows: int) -> float:
        """When so many more were acknowledged."""
        self._said.send(rows)
        assert self._said.poll(PATIENCE)
        at: float = self._said.recv()
        return at


@contextmanager
def client_alone(url: str, queue: str) -> Iterator[ClientAlone]:
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    child = context.Process(target=drain_when_told, args=(url, queue, its), daemon=True)
    child.start()
    try:
        assert ours.poll(PATIENCE)
        ours.recv()
        assert child.pid is not None
        yield ClientAlone(queue, child.pid, ours)
    finally:
        child.kill()
        child.join()


def drain_when_told(url: str, queue: str, said: Connection) -> None:
    uvloop.run(drain(url, queue, said))


async def drain(url: str, queue: str, said: Connection) -> None:
    """Acknowledge all that comes, until killed; say when it was as many as asked."""
    had, came = 0, asyncio.Event()

    def receive(deliveries: list[Delivery]) -> None:
        nonlocal had
        for delivery in deliveries:
            assert delivery.body
            delivery.ack()
        had += len(deliveries)
        came.set()

    async with await connect(url) as client:
        await client.declare(Queue(queue))
        await client.consume(queue, receive, prefetch=PREFETCH)
        said.send(None)
        loop = asyncio.get_running_loop()
        while True:
            rows = await loop.run_in_executor(None, said.recv)
            while had < rows:
                came.clear()
                await came.wait()
            said.send(time.perf_counter())
            had -= rows


# Spark


class Query:
    """A query that runs. How far it is, its spool says: to ask Spark for its progress all the time costs."""

    def __init__(self, queue: str, spool: Path, start: Callable[[], Any]) -> None:
        """`start` starts it; it has this spool to itself."""
        self.queue = queue
        self._query = start()
        while not (locks := list(spool.rglob("lock"))):
            time.sleep(0.01)
        self._spool = locks[0].parent
        self._had = 0

    def close(self) -> None:
        self._query.stop()

    def frozen(self) -> Any:
        """Whoever writes the spool says so in its lock."""
        found = re.search(r"process (\d+)", (self._spool / "lock").read_text())
        assert found is not None
        return frozen(int(found[1]))

    def wait(self, rows: int) -> float:
        """When so many more were in batches that are over: the mark of the spool was written then.

        Its time is taken, not that of a look at it: to look often takes from the cores that are measured.
        """
        self._had += rows
        until = time.perf_counter() + PATIENCE
        while committed_in(self._spool) < self._had:
            assert time.perf_counter() < until
            time.sleep(0.05)
        written = (self._spool / "committed").stat().st_mtime
        return time.perf_counter() - (time.time() - written)
