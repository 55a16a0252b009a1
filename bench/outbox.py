"""The outbox: what adding a row costs beside a plain INSERT, and how many rows a second the relay publishes.

    python bench/outbox.py [--quick] [add|relay]

Adding: the same columns, in a table with a primary key and nothing else, by the same SQLAlchemy; many in one
transaction, so that the rows are measured and not the disk. A relay in the same process waits to be woken.
Relaying: a real PostgreSQL as its package sets it up, a real RabbitMQ and a Penstock broker; persistent
messages of 200 bytes through a topic exchange into a durable queue, each confirmed, each marked in the table.
Nothing stands in for anything.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
import uuid
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session

from penstock.client import Binding, Exchange, Queue
from penstock.messaging import Destination, Message, Topology
from penstock.messaging.opening import open_broker
from penstock.outbox import Outbox, Relay
from penstock.outbox.waking import Bell

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.table import Row, print_table
from tests.servers import penstock, postgresql, rabbitmq
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BODY: Final = b"x" * 200
TO: Final = Destination("commons", "ThreadCreated")
#: Rows added in one transaction.
ADDED: Final = 500
#: How many times a plain INSERT's cost adding may have.
ADD_LIMIT: Final = 1.2
#: Rows a second that the relay must publish at least.
WANTED: Final = 10_000
ROWS: Final = 30_000
ROUNDS: Final = 5
QUICK_ROUNDS: Final = 3


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/outbox.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("part", nargs="?", choices=["add", "relay"], help="only this")
    options = parser.parse_args()
    rounds = QUICK_ROUNDS if options.quick else ROUNDS
    with (
        tempfile.TemporaryDirectory(prefix="penstock-bench-outbox-") as folder,
        database(Path(folder)) as url,
    ):
        kept = options.part == "relay" or adding(f"sqlite:///{folder}/bench.db", url)
        return 0 if (options.part == "add" or relaying(url, Path(folder), rounds)) and kept else 1


@contextlib.contextmanager
def database(folder: Path) -> Iterator[str]:
    server = postgresql.start(obtain(PROGRAMS["postgresql"], notes=folder))
    assert server.running is not None
    try:
        yield postgresql.url_of(server.running)
    finally:
        server.destroy()


# Adding


def adding(sqlite_url: str, postgresql_url: str) -> bool:
    outbox = Outbox()
    plain = outbox.table.to_metadata(sa.MetaData(), name="plain")
    plain.indexes.clear()
    rows = []
    for name, url in (("SQLite", sqlite_url), ("PostgreSQL", postgresql_url)):
        engine = sa.create_engine(url)
        outbox.metadata.create_all(engine)
        plain.metadata.create_all(engine)
        for kind, opening in (("connection", engine.connect), ("session", partial(Session, engine))):
            rows.append(
                Row(
                    name=f"{name}, {kind}",
                    base=transaction(opening, lambda on: insert_plainly(on, plain)),
                    other=transaction(opening, lambda on: outbox.add(on, new_message(), to=TO)),
                    operations=ADDED,
                    limit=ADD_LIMIT,
                )
            )
    rows += [in_asyncio(outbox, plain, sqlite_url.replace("sqlite:", "sqlite+aiosqlite:"), "SQLite, asyncio")]
    with contextlib.closing(asyncio.new_event_loop()) as loop:
        outbox.wakes.hang(loop.run_until_complete(new_bell()))
        return print_table("adding a row: a plain INSERT, outbox.add", rows)


async def new_bell() -> Bell:
    return Bell()


def new_message() -> Message:
    return Message(body=BODY, type="ThreadCreated")


def insert_plainly(on: Any, plain: sa.Table) -> Any:
    return on.execute(
        # As plain as it gets: not even the new row's key is asked for.
        sa.insert(plain).inline(),
        {
            "id": uuid.uuid4().hex,
            "type": "ThreadCreated",
            "exchange": TO.exchange,
            "key": TO.key,
            "priority": 0,
            "body": BODY,
            "envelope": b"",
            "added_at": 0.0,
            "relayed": 0,
            "attempts": 0,
            "relayed_at": None,
        },
    )


def transaction(opening: Callable[[], Any], work: Callable[[Any], object]) -> Callable[[], None]:
    """The same work many times, in one transaction that is rolled back: the table stays as small as it is."""

    def run() -> None:
        with opening() as on:
            for _ in range(ADDED):
                work(on)
            on.rollback()

    return run


def in_asyncio(outbox: Outbox, plain: sa.Table, url: str, name: str) -> Row:
    def way(work: Callable[[Any], Any]) -> Callable[[], None]:
        async def run() -> None:
            engine = create_async_engine(url)
            async with engine.connect() as connection:
                for _ in range(ADDED):
                    await work(connection)
                await connection.rollback()
            await engine.dispose()

        return lambda: asyncio.run(run())

    return Row(
        name=name,
        base=way(lambda on: insert_plainly(on, plain)),
        other=way(lambda on: outbox.add(on, new_message(), to=TO)),
        operations=ADDED,
        limit=ADD_LIMIT,
    )


# Relaying


def relaying(url: str, folder: Path, rounds: int) -> bool:
    print(f"\nrelaying {ROWS:,} rows of {len(BODY)} bytes")
    print(f"{'':30}{'rows a second':>15}{'at least':>10}{'wanted':>10}")
    verdicts = []
    for name, start in brokers(folder).items():
        running = start()
        try:
            figures = [asyncio.run(relayed(url, running.url)) for _ in range(rounds + 1)][1:]
        finally:
            running.end()
        middle = median(figures)
        verdict = "ok" if middle >= WANTED else "MISSED"
        print(f"PostgreSQL → {name:17}{middle:15,.0f}{min(figures):10,.0f}{WANTED:10,}  {verdict}")
        verdicts.append(middle >= WANTED)
    return all(verdicts)


def brokers(folder: Path) -> dict[str, Callable[[], Any]]:
    def own(name: str) -> Path:
        (folder / name).mkdir()
        return folder / name

    program = obtain(PROGRAMS["rabbitmq"], notes=folder)
    return {
        "RabbitMQ": lambda: rabbitmq.start(program, own("rabbitmq")),
        "Penstock": lambda: penstock.start(own("penstock")),
    }


async def relayed(url: str, broker_url: str) -> float:
    """Rows a second, from the first look into the table to the last mark."""
    engine = sa.create_engine(url)
    outbox = Outbox()
    outbox.metadata.drop_all(engine)
    outbox.metadata.create_all(engine)
    with engine.begin() as connection:
        outbox.add_many(connection, ((new_message(), TO) for _ in range(ROWS)))
    broker = await open_broker(broker_url)
    queue = f"bench-{uuid.uuid4().hex[:8]}"
    await broker.initialize(
        Topology(
            exchanges=(Exchange(TO.exchange, "topic"),),
            queues=(Queue(queue),),
            bindings=(Binding(TO.exchange, queue, "#"),),
        )
    )
    relay = Relay(outbox, engine, broker)
    begun = perf_counter()
    count = await relay.drain()
    seconds = perf_counter() - begun
    await relay.stop()
    assert count == ROWS
    assert await broker.depth(queue) == ROWS
    with engine.connect() as connection:
        assert connection.scalar(sa.select(sa.func.sum(outbox.table.c.relayed))) == ROWS
    await broker.client.withdraw(Queue(queue))
    await broker.close()
    engine.dispose()
    return ROWS / seconds


if __name__ == "__main__":
    sys.exit(main())
