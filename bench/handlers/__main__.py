"""A handler that does nothing, in one worker process: Penstock beside Celery and Dramatiq on one RabbitMQ.

    python bench/handlers [--full] [--url amqp://…]

Jobs wait in a durable queue, as persistent messages, each with one number in it; then one worker is started.
All ack after success and have 500 in hand. Measured are jobs done a second, from the first to the last. The
three take turns, and the ratio is that of the medians of all rounds but the first.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from tests.servers import rabbitmq
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
ROUNDS: Final = 7
QUICK_ROUNDS: Final = 3
#: Seconds for one side's jobs.
PATIENCE: Final = 300
#: What ours must be at least, as a multiple of theirs.
WANTED: Final = 8.0
BIN: Final = Path(sys.executable).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """How jobs are sent and done."""

    name: str
    #: Enough for some seconds.
    jobs: int
    send: tuple[str | Path, ...]
    work: tuple[str | Path, ...]


CELERY_WORKER: Final = (
    *(BIN / "celery", "-A", "celery_side", "worker", "--pool", "solo", "--loglevel", "ERROR"),
    *("--without-gossip", "--without-mingle", "--without-heartbeat"),
)
SIDES: Final = (
    Side(name="Celery", jobs=5_000, send=(sys.executable, "celery_side.py"), work=CELERY_WORKER),
    Side(
        name="Dramatiq",
        jobs=8_000,
        send=(sys.executable, "dramatiq_side.py"),
        work=(BIN / "dramatiq", "dramatiq_side", "--processes", "1", "--skip-logging"),
    ),
    Side(
        name="Penstock",
        jobs=60_000,
        send=(sys.executable, "our_side.py", "send"),
        work=(sys.executable, "our_side.py"),
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/handlers", description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="more rounds")
    parser.add_argument("--url", help="a RabbitMQ that runs already; else one is started")
    options = parser.parse_args()
    with broker(options.url) as url:
        rates = measured(url, ROUNDS if options.full else QUICK_ROUNDS)
    return 0 if report(rates) else 1


@contextlib.contextmanager
def broker(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    with tempfile.TemporaryDirectory(prefix="penstock-bench-handlers-") as folder:
        running = rabbitmq.start(obtain(PROGRAMS["rabbitmq"], notes=Path(folder)), Path(folder))
        try:
            yield running.url
        finally:
            running.end()


def measured(url: str, rounds: int) -> dict[str, list[float]]:
    """Jobs a second, by side, round by round."""
    rates: dict[str, list[float]] = {side.name: [] for side in SIDES}
    for number in range(rounds + 1):
        for side in SIDES:
            rate = run(side, url)
            if number:  # the first round warms up
                rates[side.name].append(rate)
    return rates


def run(side: Side, url: str) -> float:
    """Send one side's jobs, and have them done; jobs a second."""
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "rate"
        environment = {
            **os.environ,
            "BROKER": url,
            "QUEUE": f"bench-{uuid.uuid4().hex[:8]}",
            "JOBS": str(side.jobs),
            "RESULT": str(result),
            "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{HERE}",
        }
        subprocess.run(side.send, cwd=HERE, env=environment, check=True, timeout=PATIENCE)
        log = Path(folder) / "log"
        with log.open("wb") as said:
            worker = subprocess.Popen(
                side.work, cwd=HERE, env=environment, stdout=said, stderr=said, start_new_session=True
            )
        try:
            until = time.monotonic() + PATIENCE
            while not result.exists():
                assert worker.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.05)
            return float(result.read_text())
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()


def report(rates: dict[str, list[float]]) -> bool:
    """Print the table; whether all limits are kept."""
    ours = median(rates["Penstock"])
    print(f"{'':12}{'jobs':>12}{'spread':>8}   ratio of ours to theirs")
    verdicts = []
    for name, figures in rates.items():
        rate = median(figures)
        line = f"{name:12}{rate:10,.0f}/s{(max(figures) - min(figures)) / rate:8.0%}"
        if name != "Penstock":
            verdicts.append(ours >= WANTED * rate)
            line += f"{ours / rate:8.2f} ≥ {WANTED:g}  {'ok' if verdicts[-1] else 'MISSED'}"
        print(line)
    return all(verdicts)


if __name__ == "__main__":
    sys.exit(main())
