"""A small application under continuous load: orders are placed, shipped and billed.

One PostgreSQL holds its tables, its outbox and its inbox. Placing an order adds a message; the handler of
that message ships the order and adds the next one; the handler of that one bills it. The tables have no
unique keys that could hide what was done twice. It also publishes straight to the broker, with a deadline,
and writes down how long each publish took.

`python -m tests.faults.application URL-OF-POSTGRESQL URL-OF-RABBITMQ FOLDER` reads lines "STEP,NTH" and gives
each a life of its own, a process that begins with everything imported, so that beginning again costs little.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from sqlalchemy import BigInteger, Column, Identity, MetaData, Table, insert
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine

from penstock.client import ClientSettings, connect
from penstock.errors import PublishError
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.application import Application
from penstock.messaging.events import event
from penstock.messaging.subscriptions import Backoff, Pausing
from penstock.outbox import Inbox, Outbox, Relay, RelaySettings, idempotent
from tests.faults.steps import Fate

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from penstock.messaging.subscriptions import Context

#: Seconds. Everything is impatient, so that the tests need not be patient.
PUBLISH_WITHIN_S = 0.5
RELAY_WITHIN_S = 1.0
CLIENT = ClientSettings(heartbeat=1, connect_timeout=2.0, connect_max_retries=None, backoff_max=0.5)
#: Seconds between two orders, or two publishes, of one who makes them.
PACE_S = 0.08
CLERKS = 2
#: Seconds that a handler takes, so that there is always something in hand.
HANDLED_IN_S = 0.05

metadata = MetaData()
#: The business: no order twice, and none without its messages.
orders = Table("orders", metadata, Column("number", BigInteger, Identity(), primary_key=True))
#: What handlers have done. Whatever was done twice is here twice.
shipped = Table("shipped", metadata, Column("number", BigInteger, nullable=False))
billed = Table("billed", metadata, Column("number", BigInteger, nullable=False))
#: Made with the rest, before the application begins.
Outbox(metadata=metadata)
Inbox(metadata=metadata)


@event("OrderPlaced")
class OrderPlaced(Struct, frozen=True):
    """Somebody wants something."""

    number: int


@event("OrderShipped")
class OrderShipped(Struct, frozen=True):
    """It is on its way."""

    number: int


@event("Pulse")
class Pulse(Struct, frozen=True):
    """Published straight, without an outbox."""

    name: str


class Shop:
    """The application. `async with` one: it works."""

    def __init__(self, database: str, broker: AmqpBroker, folder: Path, fate: Fate) -> None:
        self._fate = fate
        self._folder = folder
        self._engine = create_async_engine(database, pool_size=20, connect_args={"connect_timeout": 5})
        self.app = Application("shop", broker=broker)
        self._outbox = Outbox.of(self.app, metadata=MetaData())
        self._inbox = Inbox(metadata=MetaData())
        once = idempotent(self._engine, inbox=self._inbox)
        self._consume(OrderPlaced, "Shipping", once(self._ship))
        self._consume(OrderShipped, "Billing", once(self._bill))
        self.app.events.add(Pulse)
        self.app.attach(
            Relay(
                self._outbox,
                self._engine,
                settings=RelaySettings(
                    batch=50, poll_interval=0.2, publish_timeout=RELAY_WITHIN_S, backoff_max=0.5
                ),
            )
        )

    def _consume(self, what: type, name: str, handler: object) -> None:
        self.app.consumer(
            what,
            name=name,
            # No message is given up: whatever is missing at the end was lost.
            retry=Backoff(attempts=100_000, initial=0.1, cap=0.5),
            transient=(SQLAlchemyError,),
            pausing=Pausing(after=2, probe_after=0.2, cap=0.5),
            pool=6,
            prefetch=5,
        )(handler)  # type: ignore[type-var]

    async def _ship(self, placed: OrderPlaced, _: Context, connection: AsyncConnection) -> None:
        await connection.execute(insert(shipped).values(number=placed.number))
        self._fate.reach("changed")
        await asyncio.sleep(HANDLED_IN_S)
        await self._outbox.add(connection, OrderShipped(placed.number))

    async def _bill(self, sent: OrderShipped, _: Context, connection: AsyncConnection) -> None:
        await connection.execute(insert(billed).values(number=sent.number))
        self._fate.reach("changed")
        await asyncio.sleep(HANDLED_IN_S)

    async def run(self) -> None:
        """Work until a signal says otherwise: SIGUSR1 ends the load, SIGTERM all of it."""
        loop = asyncio.get_running_loop()
        is_over, is_idle = asyncio.Event(), asyncio.Event()
        loop.add_signal_handler(signal.SIGTERM, is_over.set)
        loop.add_signal_handler(signal.SIGUSR1, is_idle.set)
        async with self.app:
            load = [self._place_orders() for _ in range(CLERKS)] + [self._pulse()]
            tasks = [asyncio.create_task(each) for each in load]
            ends = [asyncio.create_task(each.wait()) for each in (is_over, is_idle)]
            # One that ends by itself has failed, and then the application has.
            await asyncio.wait([*tasks, *ends], return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            for end in await asyncio.gather(*tasks, return_exceptions=True):
                if end is not None and not isinstance(end, asyncio.CancelledError):
                    raise end
            await is_over.wait()
            ends[1].cancel()
        await self._engine.dispose()

    async def _place_orders(self) -> None:
        while True:
            with contextlib.suppress(SQLAlchemyError):  # not committed, or who knows; the table does
                await self._place()
                self._fate.reach("business committed")
            await asyncio.sleep(PACE_S)

    async def _place(self) -> None:
        async with self._engine.begin() as connection:
            number = (await connection.execute(insert(orders).returning(orders.c.number))).scalar_one()
            await self._outbox.add(connection, OrderPlaced(number))

    async def _pulse(self) -> None:
        """Publish with a deadline, and write down each: its name, how it ended, and after how long."""
        name, number = f"{os.getpid()}-{time.monotonic_ns()}", 0
        with (self._folder / f"pulses-{name}").open("w", buffering=1) as book:
            while True:
                number += 1
                pulse = Pulse(f"{name}-{number}")
                begun_at = time.monotonic()
                try:
                    await self.app.publish(pulse, timeout=PUBLISH_WITHIN_S)
                    end = "confirmed"
                except PublishError as exc:
                    end = type(exc).__name__
                book.write(f"{pulse.name} {end} {time.monotonic() - begun_at:.3f}\n")
                await asyncio.sleep(PACE_S)


def live(database: str, mq_url: str, folder: Path, fate: Fate) -> None:
    """One life."""
    logging.basicConfig(filename=folder / "application.log", level=logging.WARNING)
    fate.seal()

    async def run() -> None:
        async with await connect(mq_url, settings=CLIENT) as client:
            await Shop(database, AmqpBroker(client), folder, fate).run()

    asyncio.run(run())


def main(database: str, mq_url: str, folder: str) -> None:
    """Give each line a life."""
    gc.freeze()
    for line in sys.stdin:
        step, _, nth = line.strip().rpartition(",")
        if (pid := os.fork()) == 0:
            try:
                live(database, mq_url, Path(folder), Fate(step, int(nth)))
            except BaseException:  # the log is read when a test fails
                logging.getLogger(__name__).exception("the application failed")
                os._exit(1)
            os._exit(0)
        print(pid, flush=True)  # noqa: T201  to the test
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  likewise


if __name__ == "__main__":
    main(*sys.argv[1:])
