"""The operation queue: how many DID operations a second it accepts, and takes on to an acked batch.

    python bench/operation_queue.py [--quick] [sqlite|postgresql]

A Penstock broker in a process of its own, persistent and confirmed; the queue's database on SQLite and on a
real PostgreSQL as its package sets it up. Operations of 900 bytes are added one by one by many tasks, as
requests do. Accepted: the broker has confirmed. Taken: they are in the database, too. Then all are cut,
recorded, anchored and acked.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Final

from penstock.did.database import DomainDatabase
from penstock.did.operation_queue import OPERATION_QUEUE, OperationQueue, QueuedOperation
from penstock.did.queues import DomainQueues
from penstock.messaging import open_broker

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.databases import DATABASES
from tests.servers import penstock

if TYPE_CHECKING:
    import contextlib

#: Operations that are added, and by how many tasks.
COUNT: Final = 40_000
QUICK: Final = 10_000
TASKS: Final = 500
#: Bytes of a request.
SIZE: Final = 900
#: Operations a second that must be accepted at least.
WANTED: Final = 2_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/operation_queue.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer operations")
    parser.add_argument("database", nargs="?", choices=[*DATABASES], help="only this")
    options = parser.parse_args()
    count = QUICK if options.quick else COUNT
    print(f"{count:,} operations of {SIZE} bytes, a second")
    print(f"{'':14}{'accepted':>10}{'taken':>10}{'to ack':>10}{'wanted':>10}")
    verdicts = []
    for name, opening in DATABASES.items():
        if options.database in {None, name}:
            with tempfile.TemporaryDirectory(prefix="penstock-bench-queue-") as folder:
                verdicts.append(measured(name, Path(folder), opening(Path(folder)), count))
    return 0 if all(verdicts) else 1


def measured(name: str, folder: Path, opened: contextlib.AbstractContextManager[str], count: int) -> bool:
    with opened as url:
        broker = penstock.start(folder)
        try:
            accepted, taken, acked = asyncio.run(run(url, broker.url, count))
        finally:
            broker.end()
    verdict = "ok" if accepted >= WANTED else "MISSED"
    print(f"{name:14}{accepted:10,.0f}{taken:10,.0f}{acked:10,.0f}{WANTED:10,}  {verdict}")
    return accepted >= WANTED


async def run(url: str, broker_url: str, count: int) -> tuple[float, float, float]:
    """Operations a second that are accepted, taken, and brought from there to an ack."""
    database = DomainDatabase(url)
    database.create(OPERATION_QUEUE)
    broker = await open_broker(broker_url)
    await broker.initialize(DomainQueues().topology())
    queue = OperationQueue(database, me="bench")
    await queue.start(broker)
    operations = iter([new_operation(number) for number in range(count)])

    async def add() -> None:
        for operation in operations:
            await queue.add(operation)

    begun = perf_counter()
    await asyncio.gather(*(add() for _ in range(TASKS)))
    accepted = perf_counter()
    while len(queue) < count:  # noqa: ASYNC110  nobody is told
        await asyncio.sleep(0.01)
    taken = perf_counter()
    while cut := await queue.cut(force=True):
        await cut.record_files({"core": "hl:core"})
        await cut.record_anchor("hl:anchor")
        await cut.ack()
    acked = perf_counter()
    await queue.stop()
    await broker.close()
    database.close()
    return count / (accepted - begun), count / (taken - begun), count / (acked - taken)


def new_operation(number: int) -> QueuedOperation:
    return QueuedOperation(
        type="create", operation_request=os.urandom(SIZE), unique_suffix=f"EiD{number:043}"
    )


if __name__ == "__main__":
    sys.exit(main())
