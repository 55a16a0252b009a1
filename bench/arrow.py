"""A range of a durable reader, broker to reader process: Arrow IPC over HTTP against Arrow Flight.

    python bench/arrow.py [--quick]

Two bare servers, which have the same messages of 1 KB in memory and make the same record batches of them by
the same code: one writes IPC into an HTTP response, on a loop as the broker's, the other is pyarrow's
Flight server (gRPC, with threads of its own). The third row is the broker itself: login, session, reader and
all. Each is a process of its own, read by this one; CPU is the server's and the reader's, in microseconds a
row. What came of it is in docs/explanation/queues-as-tables.md.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import uvloop
from pyarrow import flight

from penstock.client import sync
from penstock.client.reader import QueueReader
from penstock.client.values import Outgoing, Queue
from penstock.client.web import Web
from penstock.wire.amqp import BasicProperties, content_frames
from penstock.wire.arrow import FramedRows, RangeEncoder, friendly, read_stream
from penstock.wire.arrow.encoding import wire_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROWS: Final = 50_000
BODY: Final = b"x" * 1024
#: Rows of a batch: what the broker makes of messages of this size.
BATCH: Final = 3840
ROUNDS: Final = 11
QUICK_ROUNDS: Final = 3
COLUMNS: Final = ("position", "body", "message_id")
PROPERTIES: Final = BasicProperties.of(delivery_mode=2, content_type="text/plain", message_id="m")
#: Rows a second that a range must bring at least, and microseconds that one may cost the broker.
WANTED: Final = 250_000
COST: Final = 2.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/arrow.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--serve", choices=["http", "flight"], help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve == "flight":
        serve_flight()
    elif chosen.serve == "http":
        uvloop.run(serve_http())
    else:
        with over_bare_http() as bare, over_flight() as other, over_broker() as broker:
            ways = {"IPC over HTTP": bare, "Arrow Flight": other, "the broker": broker}
            return compare(ways, QUICK_ROUNDS if chosen.quick else ROUNDS)
    return 0


Way = tuple[int, "Callable[[], int]"]


def compare(ways: dict[str, Way], rounds: int) -> int:
    """In turn, so that a busy machine disturbs them alike; the first round is dropped."""
    measured: dict[str, list[tuple[float, float, float]]] = {name: [] for name in ways}
    for _ in range(rounds + 1):
        for name, way in ways.items():
            measured[name].append(timed(*way))
    print(f"\n{ROWS:,} rows of 1 KB, {rounds} rounds, medians")
    print(f"{'':20}{'rows/s':>12}{'server µs/row':>16}{'reader µs/row':>16}")
    medians = {name: list(map(median, zip(*rows[1:], strict=True))) for name, rows in measured.items()}
    for name, (rate, server, reader) in medians.items():
        print(f"{name:20}{rate:12,.0f}{server:16.2f}{reader:16.2f}")
    rate, server, _ = medians["the broker"]
    kept = rate >= WANTED and server <= COST
    print(f"wanted of the broker: {WANTED:,} rows/s at {COST} µs: {'ok' if kept else 'MISSED'}")
    return 0 if kept else 1


def timed(pid: int, read: Callable[[], int]) -> tuple[float, float, float]:
    """Rows a second, and microseconds of CPU a row: the server's and ours."""
    theirs, mine, begun = cpu_of(pid), process_time(), perf_counter()
    assert read() == ROWS
    seconds = perf_counter() - begun
    return ROWS / seconds, 1e6 * (cpu_of(pid) - theirs) / ROWS, 1e6 * (process_time() - mine) / ROWS


def cpu_of(pid: int) -> float:
    """Seconds of CPU that a process has had (proc(5): nanoseconds are in schedstat, of each thread)."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


# The broker


@contextmanager
def over_broker() -> Iterator[Way]:
    broker = ("-m", "penstock", "broker", "--amqp", "127.0.0.1:0", "--data")
    with tempfile.TemporaryDirectory() as folder, started(*broker, folder) as (process, line):
        url = line.split()[-1].replace("amqp://", "amqp://guest:guest@")
        with sync.connect(url) as client:
            client.declare(Queue("q"))
            outgoings = [Outgoing("", "q", BODY, PROPERTIES)] * 1000
            for _ in range(ROWS // 1000):
                assert not any(client.publish_many(outgoings, timeout=60))
        with QueueReader(url, "q", "bench") as reader:
            reader.open()
            assert reader.take(ROWS, 1 << 40) == ROWS

            def read() -> int:
                return sum(batch.num_rows for batch in reader.read(0, ROWS, COLUMNS))

            yield process.pid, read


# Two bare servers


class Shelf:
    """The messages, and the batches they make."""

    def __init__(self) -> None:
        self._frames = [content_frames(1, PROPERTIES, BODY, 0) for _ in range(ROWS)]

    def rows(self) -> Iterator[FramedRows]:
        for start in range(0, ROWS, BATCH):
            frames = self._frames[start : start + BATCH]
            count = len(frames)
            yield FramedRows(
                positions=range(start + 1, start + count + 1),
                exchanges=[""] * count,
                routing_keys=["q"] * count,
                frames=frames,
                redelivered=[False] * count,
                arrived=[1.0] * count,
            )


def plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The same without dictionaries: a generator of Flight's would have to know them all beforehand."""
    is_dictionary = pa.types.is_dictionary
    columns = [each.dictionary_decode() if is_dictionary(each.type) else each for each in batch.columns]
    return pa.record_batch(columns, names=batch.schema.names)


class FlightShelf(flight.FlightServerBase):  # type: ignore[misc]
    """Serves them as Flight does."""

    def __init__(self) -> None:
        super().__init__("grpc://127.0.0.1:0")
        self._shelf = Shelf()

    def do_get(self, _context: Any, _ticket: Any) -> Any:
        schema = plain(wire_batch(next(self._shelf.rows()))).schema
        return flight.GeneratorStream(schema, (plain(wire_batch(rows)) for rows in self._shelf.rows()))


def serve_flight() -> None:
    server = FlightShelf()
    print(server.port, flush=True)
    server.serve()


class HttpShelf(asyncio.Protocol):
    """Serves them as chunks, whatever is asked."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._may_write = asyncio.Event()
        self._may_write.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport
        transport.set_write_buffer_limits(4 * 1024 * 1024)  # type: ignore[attr-defined]

    def data_received(self, _data: bytes) -> None:
        self._task = asyncio.get_running_loop().create_task(self._answer())

    def pause_writing(self) -> None:
        self._may_write.clear()

    def resume_writing(self) -> None:
        self._may_write.set()

    async def _answer(self) -> None:
        self._transport.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        encoder = RangeEncoder(FramedRows)
        await self._send(encoder.begin())
        for rows in self._shelf.rows():
            await self._send(encoder.add(rows))
        await self._send(encoder.end())
        self._transport.write(b"0\r\n\r\n")

    async def _send(self, pieces: list[Any]) -> None:
        if not pieces:
            return
        self._transport.writelines([b"%x\r\n" % sum(map(len, pieces)), *pieces, b"\r\n"])
        await asyncio.sleep(0)
        await self._may_write.wait()


async def serve_http() -> None:
    shelf = Shelf()
    server = await asyncio.get_running_loop().create_server(lambda: HttpShelf(shelf), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextmanager
def over_bare_http() -> Iterator[Way]:
    with started(__file__, "--serve", "http") as (process, line):
        web = Web(f"amqp://127.0.0.1:{int(line)}", 60.0)

        def read() -> int:
            with web.send("GET", "/") as answer:
                return sum(friendly(batch, COLUMNS).num_rows for batch in read_stream(answer))

        yield process.pid, read
        web.close()


@contextmanager
def over_flight() -> Iterator[Way]:
    with started(__file__, "--serve", "flight") as (process, line):
        client = flight.connect(f"grpc://127.0.0.1:{int(line)}")

        def read() -> int:
            stream = client.do_get(flight.Ticket(b""))
            return sum(friendly(chunk.data, COLUMNS).num_rows for chunk in stream)

        yield process.pid, read
        client.close()


@contextmanager
def started(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process of ours, and the line that it says when it is ready."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1] / "src")}
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


if __name__ == "__main__":
    sys.exit(main())
