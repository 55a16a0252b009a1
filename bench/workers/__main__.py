"""Jobs that do nothing, in one worker process: Penstock beside Celery, Dramatiq and greenstalk.

    python bench/workers [--quick] [worker-celery|worker-dramatiq|worker-greenstalk|handler-celery|… …]

"worker" is `penstock worker` with a route, "handler" an Application with a consumer of an event. Celery,
Dramatiq and ours take jobs from one RabbitMQ; a greenstalk loop takes them from beanstalkd, and our worker
from Penstock. Jobs of AMQP are persistent and wait in a durable queue without priorities, as Celery and
Dramatiq make it unless they are told otherwise. All ack after success and have 500 in hand, but for
greenstalk, which has one. Measured are jobs done a second, from the first to the last. The sides take turns,
and the ratio is that of the medians of all rounds but the first.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bench.workers.race import HERE, Row, Side, print_report, raced
from tests.servers import beanstalkd, penstock, rabbitmq
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.servers.running import Running

BIN: Final = Path(sys.executable).parent
ROUNDS: Final = 7
QUICK_ROUNDS: Final = 1
#: Of the jobs of a whole run, a quick one has this share.
QUICK_SHARE: Final = 0.2


def worker(broker: str) -> Side:
    window = ("--concurrency", "5", "--prefetch", "100")
    return Side(
        name=f"worker on {broker}",
        broker=broker,
        jobs=60_000,
        send=(sys.executable, HERE / "worker_side.py"),
        work=(sys.executable, "-m", "penstock", "worker", "worker_side:routes", *window),
    )


HANDLER: Final = Side(
    name="handler on RabbitMQ",
    broker="RabbitMQ",
    jobs=60_000,
    send=(sys.executable, HERE / "handler_side.py", "send"),
    work=(sys.executable, HERE / "handler_side.py"),
)
CELERY: Final = Side(
    name="Celery",
    broker="RabbitMQ",
    jobs=5_000,
    send=(sys.executable, HERE / "celery_side.py"),
    work=(
        *(BIN / "celery", "-A", "celery_side", "worker", "--pool", "solo", "--loglevel", "ERROR"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    ),
)
DRAMATIQ: Final = Side(
    name="Dramatiq",
    broker="RabbitMQ",
    jobs=8_000,
    send=(sys.executable, HERE / "dramatiq_side.py"),
    work=(BIN / "dramatiq", "dramatiq_side", "--processes", "1", "--skip-logging"),
)
GREENSTALK: Final = Side(
    name="greenstalk",
    broker="beanstalkd",
    jobs=20_000,
    send=(sys.executable, HERE / "greenstalk_side.py", "send"),
    work=(sys.executable, HERE / "greenstalk_side.py"),
)
ON_RABBITMQ, ON_PENSTOCK = worker("RabbitMQ"), worker("Penstock")
ROWS: Final[Mapping[str, Row]] = {
    "worker-celery": Row(ours=ON_RABBITMQ, theirs=CELERY, wanted=8.0),
    "worker-dramatiq": Row(ours=ON_RABBITMQ, theirs=DRAMATIQ, wanted=8.0),
    "worker-greenstalk": Row(ours=ON_PENSTOCK, theirs=GREENSTALK, wanted=2.0),
    "handler-celery": Row(ours=HANDLER, theirs=CELERY, wanted=8.0),
    "handler-dramatiq": Row(ours=HANDLER, theirs=DRAMATIQ, wanted=8.0),
}
STARTS: Final[Mapping[str, Callable[[Path], Running]]] = {
    "RabbitMQ": lambda folder: rabbitmq.start(obtain(PROGRAMS["rabbitmq"], notes=folder), folder),
    "Penstock": penstock.start,
    "beanstalkd": lambda folder: beanstalkd.start(obtain(PROGRAMS["beanstalkd"], notes=folder), folder),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/workers", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round, fewer jobs: whether it runs at all")
    parser.add_argument("--rounds", type=int, help="so many rounds, in place of the usual")
    parser.add_argument("rows", nargs="*", metavar="row", help=f"some of {', '.join(ROWS)}; else all")
    options = parser.parse_args()
    if unknown := set(options.rows) - ROWS.keys():
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    rows = [ROWS[name] for name in options.rows or ROWS]
    sides = list(dict.fromkeys(side for row in rows for side in (row.theirs, row.ours)))
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    with contextlib.ExitStack() as opened:
        brokers = {name: opened.enter_context(broker(name)) for name in {side.broker for side in sides}}
        paces = raced(sides, brokers, rounds=rounds, share=QUICK_SHARE if options.quick else 1)
    return 0 if print_report(rows, paces) else 1


@contextlib.contextmanager
def broker(name: str) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-workers-") as folder:
        running = STARTS[name](Path(folder))
        try:
            yield running.url
        finally:
            running.end()


if __name__ == "__main__":
    sys.exit(main())
