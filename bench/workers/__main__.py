"""Jobs that do nothing, in one worker process: `penstock worker` beside Celery, Dramatiq and greenstalk.

    python bench/workers [--quick] [celery|dramatiq|greenstalk …]

Celery and Dramatiq (as bench/handlers has them) and our worker take jobs from one RabbitMQ; a greenstalk loop
takes them from beanstalkd, and our worker from Penstock. Jobs wait in their queue before a worker is started;
those of AMQP are persistent. All ack after success and have 500 in hand, but for greenstalk, which has one.
Measured are jobs done a second, from the first to the last. The sides take turns, and the ratio is that of
the medians of all rounds but the first.
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
from tests.servers import beanstalkd, penstock, rabbitmq
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tests.servers.running import Running

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
#: Celery's and Dramatiq's sides, and what counts.
HANDLERS: Final = HERE.parent / "handlers"
BIN: Final = Path(sys.executable).parent
ROUNDS: Final = 7
QUICK_ROUNDS: Final = 1
#: Of the jobs of a whole run, a quick one has this share.
QUICK_SHARE: Final = 0.2
#: Seconds for one side's jobs.
PATIENCE: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """How jobs are sent and done, and on which broker."""

    name: str
    broker: str
    #: Enough for some seconds.
    jobs: int
    send: Sequence[str | Path]
    work: Sequence[str | Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Ours beside theirs, and what ours must be at least, as a multiple of theirs."""

    ours: Side
    theirs: Side
    wanted: float


def ours(broker: str) -> Side:
    window = ("--concurrency", "5", "--prefetch", "100")
    return Side(
        name=f"Penstock on {broker}",
        broker=broker,
        jobs=60_000,
        send=(sys.executable, HERE / "our_side.py"),
        work=(sys.executable, "-m", "penstock", "worker", "our_side:routes", *window),
    )


CELERY: Final = Side(
    name="Celery",
    broker="RabbitMQ",
    jobs=5_000,
    send=(sys.executable, HANDLERS / "celery_side.py"),
    work=(
        *(BIN / "celery", "-A", "celery_side", "worker", "--pool", "solo", "--loglevel", "ERROR"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    ),
)
DRAMATIQ: Final = Side(
    name="Dramatiq",
    broker="RabbitMQ",
    jobs=8_000,
    send=(sys.executable, HANDLERS / "dramatiq_side.py"),
    work=(BIN / "dramatiq", "dramatiq_side", "--processes", "1", "--skip-logging"),
)
GREENSTALK: Final = Side(
    name="greenstalk",
    broker="beanstalkd",
    jobs=20_000,
    send=(sys.executable, HERE / "greenstalk_side.py", "send"),
    work=(sys.executable, HERE / "greenstalk_side.py"),
)
ON_RABBITMQ, ON_PENSTOCK = ours("RabbitMQ"), ours("Penstock")
ROWS: Final[Mapping[str, Row]] = {
    "celery": Row(ours=ON_RABBITMQ, theirs=CELERY, wanted=8.0),
    "dramatiq": Row(ours=ON_RABBITMQ, theirs=DRAMATIQ, wanted=8.0),
    "greenstalk": Row(ours=ON_PENSTOCK, theirs=GREENSTALK, wanted=2.0),
}
STARTS: Final[Mapping[str, Callable[[Path], Running]]] = {
    "RabbitMQ": lambda folder: rabbitmq.start(obtain(PROGRAMS["rabbitmq"], notes=folder), folder),
    "Penstock": penstock.start,
    "beanstalkd": lambda folder: beanstalkd.start(obtain(PROGRAMS["beanstalkd"], notes=folder), folder),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/workers", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round, fewer jobs: whether it runs at all")
    parser.add_argument("rows", nargs="*", metavar="row", help=f"some of {', '.join(ROWS)}; else all")
    options = parser.parse_args()
    if unknown := set(options.rows) - ROWS.keys():
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    rows = [ROWS[name] for name in options.rows or ROWS]
    sides = list(dict.fromkeys(side for row in rows for side in (row.theirs, row.ours)))
    with contextlib.ExitStack() as opened:
        brokers = {name: opened.enter_context(broker(name)) for name in {side.broker for side in sides}}
        rates = measured(sides, brokers, quick=options.quick)
    return 0 if report(rows, rates) else 1


@contextlib.contextmanager
def broker(name: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-workers-") as folder:
        running = STARTS[name](Path(folder))
        try:
            yield running.url
        finally:
            running.end()


def measured(sides: list[Side], brokers: Mapping[str, str], *, quick: bool) -> dict[str, list[float]]:
    """Jobs a second, by side, round by round."""
    rates: dict[str, list[float]] = {side.name: [] for side in sides}
    for number in range((QUICK_ROUNDS if quick else ROUNDS) + 1):
        for side in sides:
            jobs = int(side.jobs * (QUICK_SHARE if quick else 1))
            rate = run(side, brokers[side.broker], jobs)
            if number:  # the first round warms up
                rates[side.name].append(rate)
    return rates


def run(side: Side, url: str, jobs: int) -> float:
    """Send one side's jobs, and have them done; jobs a second."""
    with tempfile.TemporaryDirectory() as folder:
        result, log = Path(folder) / "rate", Path(folder) / "log"
        environment = {
            **os.environ,
            "BROKER": url,
            "MQ_URL": url,
            "QUEUE": f"bench-{uuid.uuid4().hex[:8]}",
            "JOBS": str(jobs),
            "RESULT": str(result),
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", HERE, HANDLERS))),
        }
        subprocess.run(side.send, cwd=HERE, env=environment, check=True, timeout=PATIENCE)
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


def report(rows: list[Row], rates: dict[str, list[float]]) -> bool:
    """Print the table; whether all limits are kept."""
    print(f"{'':24}{'jobs':>12}{'spread':>8}")
    for name, figures in rates.items():
        rate = median(figures)
        print(f"{name:24}{rate:10,.0f}/s{(max(figures) - min(figures)) / rate:8.0%}")
    verdicts = []
    for row in rows:
        ratio = median(rates[row.ours.name]) / median(rates[row.theirs.name])
        verdicts.append(ratio >= row.wanted)
        told = "ok" if verdicts[-1] else "MISSED"
        print(f"{row.ours.name} / {row.theirs.name}: {ratio:.2f} ≥ {row.wanted:g}  {told}")
    return all(verdicts)


if __name__ == "__main__":
    sys.exit(main())
