"""Our client beside aio-pika and pika, all with the same RabbitMQ, taking turns on the same machine.

    python bench/client [--quick] [--url amqp://…]

Compared is what an application writes: publishes of 100 bytes, each mandatory and confirmed, and a consumer
that acknowledges each message on its own, 500 in hand. Of the asyncio clients, both on uvloop, 500 tasks
publish at once, each its next message when the last one is confirmed; pika's BlockingConnection can only wait
for each confirm in turn, which is how it is used. Messages and queue are transient, so that the clients are
measured and not the broker's disk. The row after ours shows `publish_many`. Ratios are of the medians of all
rounds but the first.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

import pika
from ours import Ours, OursInBatches
from theirs import AioPika, Pika
from workload import AT_ONCE, QUEUE, Side

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.servers import rabbitmq
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Iterator

ROUNDS: Final = 5
QUICK_ROUNDS: Final = 3
#: What ours must be at least, as a multiple of theirs.
LIMITS: Final = {"aio-pika": 6.0, "pika": 3.0}
SIDES: Final[tuple[Side, ...]] = (AioPika(), Pika(), Ours(), OursInBatches())
#: Differ in how they publish only.
VARIANTS: Final = (OursInBatches,)
#: Messages of a round: enough for a second or so of each client.
COUNTS: Final = {"aio-pika": 6_000, "pika": 6_000}
OUR_COUNT: Final = 30_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/client", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--url", help="a RabbitMQ that runs already; else one is started")
    options = parser.parse_args()
    with broker(options.url) as url:
        figures = measured(url, QUICK_ROUNDS if options.quick else ROUNDS)
    return 0 if report(figures) else 1


@contextlib.contextmanager
def broker(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="penstock-bench-client-") as folder:
        program = obtain(PROGRAMS["rabbitmq"], notes=Path(folder))
        running = rabbitmq.start(program, Path(folder))
        try:
            yield running.url
        finally:
            running.end()


def measured(url: str, rounds: int) -> dict[tuple[str, str], list[float]]:
    """Messages a second, by verb and side, round by round; the sides take turns."""
    figures: dict[tuple[str, str], list[float]] = {}
    for number in range(rounds + 1):
        for side in SIDES:
            count = COUNTS.get(side.name, OUR_COUNT) // AT_ONCE * AT_ONCE
            with fresh_queue(url):
                rates = {"publish": count / side.publish(url, count)}
                if type(side) not in VARIANTS:
                    rates["consume+ack"] = count / side.consume(url, count)
            if number:  # the first round warms up
                for verb, rate in rates.items():
                    figures.setdefault((verb, side.name), []).append(rate)
    return figures


@contextlib.contextmanager
def fresh_queue(url: str) -> Iterator[None]:
    connection = pika.BlockingConnection(pika.URLParameters(url))
    channel = connection.channel()
    channel.queue_declare(QUEUE)
    yield
    channel.queue_delete(QUEUE)
    connection.close()


def report(figures: dict[tuple[str, str], list[float]]) -> bool:
    """Print the table; whether all limits are kept."""
    print(f"{'':36}{'rate':>12}{'spread':>8}   ratio of ours to theirs")
    verdicts = []
    for verb in ("publish", "consume+ack"):
        ours = median(figures[verb, "penstock"])
        for side in SIDES:
            rates = figures.get((verb, side.name))
            if rates is None:
                continue
            rate = median(rates)
            line = f"{verb:13}{side.name:23}{rate:10,.0f}/s{(max(rates) - min(rates)) / rate:8.0%}"
            limit = LIMITS.get(side.name)
            if limit is not None:
                kept = ours >= limit * rate
                verdicts.append(kept)
                line += f"{ours / rate:8.2f} ≥ {limit:g}  {'ok' if kept else 'MISSED'}"
            print(line)
    return all(verdicts)


if __name__ == "__main__":
    sys.exit(main())
