"""The application's surroundings, for tests that break them: a RabbitMQ, a PostgreSQL, a network, its lives.

`World.check` says what must be true however they were broken.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
import psycopg
import pytest
from sqlalchemy import create_engine

from penstock.client import Binding, Exchange, Queue
from penstock.messaging import Topology
from penstock.messaging.opening import open_broker
from tests.client.rabbit import OwnRabbitMQ
from tests.faults import application
from tests.faults.proxy import Proxy
from tests.servers import postgresql
from tests.servers.running import Process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.messaging.port import Broker, Received

ROOT = Path(__file__).parents[2]
#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 240.0
#: Seconds that a publish may take beyond its deadline on a machine that has more to do; one that waits for
#: something else than its deadline waits much longer.
SLACK_S = 15.0
#: A queue of the test's own that gets a copy of everything that is published.
AUDIT = "audit"
#: Where nothing may be left at the end.
QUEUES = ("shop.Shipping", "shop.Billing", "shop.dead-letters")


class Life:
    """A process of the application, and how it ended."""

    def __init__(self, supervisor: subprocess.Popen[str], step: str, nth: int) -> None:
        assert supervisor.stdin is not None
        assert supervisor.stdout is not None
        self._output = supervisor.stdout
        supervisor.stdin.write(f"{step},{nth}\n")
        supervisor.stdin.flush()
        self._pid = int(self._output.readline())
        self._end: int | None = None

    def signal(self, number: int) -> None:
        if self._end is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def wait(self) -> int:
        """Its exit code, negative if it was killed."""
        if self._end is None:
            self._end = int(self._output.readline())
        return self._end

    def kill(self) -> None:
        self.signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> None:
        """Have it finish what it has in hand, and leave."""
        self.signal(signal.SIGTERM)
        assert self.wait() == 0


@dataclass(frozen=True, slots=True)
class Books:
    """What the tables say."""

    orders: set[int]
    shipped: Counter[int]
    billed: Counter[int]
    #: Messages that no relay has published yet.
    waiting: int

    @property
    def is_settled(self) -> bool:
        return not self.waiting and self.orders == set(self.shipped) == set(self.billed)

    @property
    def doubles(self) -> list[int]:
        """What was done twice."""
        return [number for done in (self.shipped, self.billed) for number, times in done.items() if times > 1]


class World:
    """Everything around the application. `with World(…) as world`."""

    def __init__(self, rabbitmq: Path, postgresql_: Path, folder: Path) -> None:
        (folder / "rabbitmq").mkdir()
        self.folder = folder
        self.rabbit = OwnRabbitMQ(rabbitmq, folder / "rabbitmq")
        self.postgres = postgresql.PostgreSQL(postgresql_, postgresql.IMPATIENT)
        self._stack = contextlib.ExitStack()
        self._supervisors: dict[tuple[str, int], subprocess.Popen[str]] = {}
        #: Numbers by type, of all that was ever published.
        self._published: dict[str, set[Any]] = {"OrderPlaced": set(), "OrderShipped": set(), "Pulse": set()}

    def __enter__(self) -> Self:
        with contextlib.ExitStack() as stack:
            stack.callback(self.postgres.destroy)
            stack.enter_context(self.rabbit)
            self.postgres.create()
            self.start_database()
            self.proxy = stack.enter_context(Proxy(int(self.rabbit.url.rpartition(":")[2].strip("/"))))
            stack.callback(self._end_supervisors)
            engine = create_engine(self._database)
            application.metadata.create_all(engine)
            engine.dispose()
            asyncio.run(self._declare())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    # The application

    @property
    def proxied_url(self) -> str:
        """The broker behind the bad network, with the application's own heartbeat: one a second."""
        return f"amqp://guest:guest@127.0.0.1:{self.proxy.port}/"

    @property
    def patient_url(self) -> str:
        """The same, with a heartbeat that notices nothing within a test."""
        return f"{self.proxied_url}?heartbeat=600"

    def begin(self, step: str = "", nth: int = 1, *, url: str | None = None, instance: int = 0) -> Life:
        """Begin the next life of the application, one that ends at the n-th time of a step if there is one.

        Args:
            step: One of STEPS.
            nth: Which time.
            url: The broker's, if it is not reached directly.
            instance: Applications of several numbers live at the same time.
        """
        return Life(self._supervisor(url or self.rabbit.url, instance), step, nth)

    @contextlib.contextmanager
    def at_work(self, *, url: str | None = None) -> Iterator[Life]:
        """The application under load. At the end everything has settled, and is as it must be."""
        life = self.begin(url=url)
        try:
            self.goes_on()
            yield life
            self.goes_on()
            self.settle(life)
        finally:
            life.kill()
        self.check()

    def settle(self, *lives: Life) -> None:
        """End the load, wait until all is done, and have them stop."""
        for life in lives:
            life.signal(signal.SIGUSR1)
        self.until(lambda: self.books().is_settled, "the end of all orders")
        for life in lives:
            life.stop()

    def goes_on(self, count: int = 20) -> None:
        """Wait until the application has done so much more, from the order to the bill, and published."""
        bills = sum(self.books().billed.values()) + count
        self.until(lambda: sum(self.books().billed.values()) >= bills, f"{count} more bills")
        pulses = self.ends()["confirmed"]
        self.until(lambda: self.ends()["confirmed"] > pulses, "another publish")

    def gives_up(self) -> None:
        """Wait until publishes have missed their deadline, straight ones and the relay's.

        Nothing is mended meanwhile: who waits for something else than the deadline waits in vain.
        """
        late = self.ends()["PublishTimeout"] + 2
        self.until(lambda: self.ends()["PublishTimeout"] >= late, "a publish that gives up")
        self.until(self._relay_has_failed, "a relay that gives up")

    # The database

    def crash_database(self, number: int) -> None:
        """End PostgreSQL with a signal: SIGINT is its fast shutdown, SIGKILL is no shutdown at all."""
        assert self.postgres.running is not None
        [process] = self.postgres.running.processes
        Process(pid=process.pid, started=process.started, farewell=number).end()

    def start_database(self) -> None:
        self.postgres.start()

    # What must be so

    def until(self, is_so: Callable[[], object], what: str) -> None:
        last = time.monotonic() + PATIENCE_S
        while not is_so():
            if time.monotonic() > last:
                pytest.fail(f"waited in vain for {what}: {self._state()}\n{self._log()}")
            # Whoever asks is a connection to the database: more often would be a load of its own.
            time.sleep(0.2)

    def books(self) -> Books:
        with psycopg.connect(self._url) as connection:

            def numbers(table: str) -> list[int]:
                return [number for (number,) in connection.execute(f"SELECT number FROM {table}")]  # noqa: S608

            # The last first: what comes in between is missing at the beginning, not at the end.
            billed, shipped = Counter(numbers("billed")), Counter(numbers("shipped"))
            waiting = connection.execute("SELECT count(*) FROM penstock_outbox WHERE relayed <> 1").fetchone()
            assert waiting is not None
            return Books(set(numbers("orders")), shipped, billed, waiting[0])

    def _relay_has_failed(self) -> bool:
        with psycopg.connect(self._url) as connection:
            tries = connection.execute("SELECT max(attempts) FROM penstock_outbox WHERE relayed = 0")
            [(most,)] = tries.fetchall()
            return bool(most)

    def check(self) -> None:
        """Every change was published, every message applied exactly once, and nothing is left over."""
        books = self.books()
        assert books.is_settled
        assert books.doubles == []
        depths = asyncio.run(self._audit())
        assert depths == dict.fromkeys(QUEUES, 0)
        # By what the broker has passed on, which knows nothing of the outbox.
        assert self._published["OrderPlaced"] == books.orders
        assert self._published["OrderShipped"] == set(books.shipped)
        pulses = self.pulses()
        assert {name for name, end, _ in pulses if end == "confirmed"} <= self._published["Pulse"]
        assert max(waited for _, _, waited in pulses) < application.PUBLISH_WITHIN_S + SLACK_S

    def pulses(self) -> list[tuple[str, str, float]]:
        """Straight publishes: name, how it ended, after how long."""
        books = sorted(self.folder.glob("pulses-*"))
        lines = [line.split() for book in books for line in book.read_text().splitlines()]
        # The last line of one that was killed may be cut.
        return [(line[0], line[1], float(line[2])) for line in lines if len(line) == 3]

    def ends(self) -> Counter[str]:
        """How straight publishes have ended so far."""
        return Counter(end for _, end, _ in self.pulses())

    # Within

    @property
    def _database(self) -> str:
        return f"postgresql+psycopg://{postgresql.SUPERUSER}@127.0.0.1:{self.postgres.port}/postgres"

    @property
    def _url(self) -> str:
        return self._database.replace("+psycopg", "")

    def _supervisor(self, url: str, instance: int) -> subprocess.Popen[str]:
        found = self._supervisors.get((url, instance))
        if found is None:
            where = (self._database, url, str(self.folder))
            command = [sys.executable, "-m", "tests.faults.application", *where]
            found = subprocess.Popen(
                command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            self._supervisors[url, instance] = found
        return found

    def _end_supervisors(self) -> None:
        for supervisor in self._supervisors.values():
            supervisor.communicate(timeout=PATIENCE_S)

    async def _declare(self) -> None:
        broker = await open_broker(self.rabbit.url)
        topology = Topology(
            exchanges=(Exchange("shop", "topic"),),
            queues=(Queue(AUDIT),),
            bindings=(Binding("shop", AUDIT, "#"),),
        )
        await broker.initialize(topology)
        await broker.close()

    async def _audit(self) -> dict[str, int | None]:
        """Take note of what was published since the last time, and say how full the queues are."""
        broker = await open_broker(self.rabbit.url)
        try:
            await self._take_note(broker)
            return {queue: await broker.depth(queue) for queue in QUEUES}
        finally:
            await broker.close()

    async def _take_note(self, broker: Broker) -> None:
        def receive(arrived: list[Received]) -> None:
            for received in arrived:
                content = msgspec.json.decode(received.body)
                self._published[received.type].add(content.get("number", content.get("name")))
                received.ack()

        subscribed = await broker.subscribe(AUDIT, receive, prefetch=1000)
        while await broker.depth(AUDIT):  # noqa: ASYNC110  the broker does not tell
            await asyncio.sleep(0.02)
        await subscribed.cancel()

    def _state(self) -> str:
        books = self.books()
        return (
            f"{len(books.orders)} orders, {sum(books.shipped.values())} shipped,"
            f" {sum(books.billed.values())} billed, {books.waiting} not relayed"
        )

    def _log(self, lines: int = 60) -> str:
        log = self.folder / "application.log"
        return "\n".join(log.read_text().splitlines()[-lines:]) if log.exists() else ""
