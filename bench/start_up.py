"""Start-up: how long until a broker that was killed answers again, with so many messages waiting.

A million persistent messages of 100 bytes are published with confirms, the broker is killed with -9, and
then started again and again on the same folder. Measured from the start of the process: the first answer
to a client, and the first message in its hands. The empty broker shows what Python itself takes.

    python bench/start_up.py [messages]
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Final

sys.path.insert(0, str(Path(__file__).parent / "broker"))

import amqp
from load import publish_confirmed
from peers import Peer, free_port, new_folder, start, wait_ready

QUEUE: Final = "bench.wait"
MILLION: Final = 1_000_000
ROUNDS: Final = 5
#: Seconds that the first answer may take.
ANSWERS_IN: Final = 2.0


def start_on(folder: Path) -> Peer:
    port = free_port()
    options = ["--amqp", f"127.0.0.1:{port}", "--data", str(folder / "data")]
    server = start([sys.executable, "-m", "penstock", "broker", *options], folder, {})
    return Peer("Penstock", port, [server], folder)


def kill(peer: Peer) -> None:
    os.killpg(peer.processes[0].pid, signal.SIGKILL)
    peer.processes[0].wait()


def fill(folder: Path, count: int) -> None:
    peer = start_on(folder)
    wait_ready(peer)
    with amqp.connect_channel(peer.port) as connection:
        amqp.declare(connection, QUEUE, durable=True)
        amqp.call(connection, amqp.CONFIRM_SELECT, b"\0")
        publish_confirmed(connection, amqp.message(QUEUE, bytes(100), mode=2), count, 10_000)
    kill(peer)


def measure(folder: Path, count: int) -> tuple[float, float]:
    """Seconds until the first answer, and until the first message."""
    begun = perf_counter()
    peer = start_on(folder)
    while True:
        try:
            connection = amqp.connect_channel(peer.port)
            break
        except OSError:
            sleep(0.005)
    with connection:
        answered = perf_counter() - begun
        assert amqp.declare(connection, QUEUE, durable=True) == count
        if count:
            amqp.consume(connection, QUEUE, prefetch=1)
            amqp.read_frame(connection)
        delivered = perf_counter() - begun
    kill(peer)
    return answered, delivered


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else MILLION
    print(f"{'waiting':>12}{'answers after':>16}{'first message':>16}   limit {ANSWERS_IN:g} s")
    slowest = 0.0
    for waiting in (0, count):
        folder = new_folder("start-up")
        try:
            fill(folder, waiting)
            times = [measure(folder, waiting) for _ in range(ROUNDS)]
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        answered, delivered = (median(column) for column in zip(*times, strict=True))
        slowest = max(slowest, answered)
        verdict = "ok" if answered < ANSWERS_IN else "MISSED"
        print(f"{waiting:12,}{answered:14.2f} s{delivered:14.2f} s   {verdict}")
    return int(slowest >= ANSWERS_IN)


if __name__ == "__main__":
    sys.exit(main())
