"""A broker with its whole panel, in a thread of its own, for the browser to visit.

Everything is real: schedules, outbox and dead letters in databases, the batches of a DID domain, a worker if
a test wants one, and what pipelines have written down of themselves, if not the Spark that wrote it.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import threading
import time
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pika
from sqlalchemy import delete, update

from penstock.bootstrap.panel_resources import open_resources
from penstock.client import connect
from penstock.clock import VirtualClock
from penstock.did.database import DomainDatabase
from penstock.messaging import Destination, Message
from penstock.messaging.amqp import AmqpBroker
from penstock.messaging.dead_letters import DeadLetter, DeadLetterStore, Selection
from penstock.outbox import Outbox
from penstock.outbox.opening import open_engine
from penstock.outbox.table import SET_ASIDE
from penstock.panel.serving import open_panel
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.progress import Metrics
from penstock.pipelines.declared.status import State, Status, write_status
from penstock.server.embedded import Embedded
from penstock.settings import Settings
from penstock.settings.address import Address
from penstock.workers import Job, Routes, Worker
from penstock.workers.cron import Cron
from penstock.workers.schedules import Scheduled, Schedules
from penstock.workers.schedules.schema import schedules as table
from tests.did.batches.circle import Circle, created
from tests.did.observing.helpers import forged
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from pathlib import Path

#: What a person or a program may call something that they want to run on the operator's page.
HOSTILE = '"><img src=x onerror="window.ran=1"><script>window.ran=1</script>\'{{7*7}}'
HERE = Address("127.0.0.1", 0)
TOPOLOGY = '[queues.wanted]\n\n[exchanges."amq.topic"]\ntype = "topic"\n'


class Stage:
    """Where it is, and how a test speaks to it beside the browser."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = ""
        self.amqp_port = 0
        self._ready = threading.Event()
        self._over: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._embedded: Embedded | None = None
        self._held = ExitStack()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), name="stage")

    def start(self) -> None:
        self._fill()
        self._thread.start()
        assert self._ready.wait(30)

    def stop(self) -> None:
        assert self._loop is not None
        assert self._over is not None
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._held.close()

    async def _run(self) -> None:
        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        settings = Settings(
            amqp=(HERE,),
            panel=(HERE,),
            message_lives="on",
            panel_pipelines=self.folder / "pipelines",
            panel_topology=self.folder / "topology.toml",
            panel_dead_letters=self._database("letters"),
            panel_outbox=self._database("outbox"),
            panel_schedules=self._database("schedules"),
            panel_did=self._database("did"),
        )
        self._embedded = embedded = await Embedded.start(settings)
        amqp = await embedded.listen()
        server = await open_panel(embedded, await open_resources(embedded))
        self.amqp_port, self.url = urlsplit(amqp[0]).port or 0, server.urls[0]
        self._ready.set()
        await self._over.wait()
        await server.close()
        await embedded.close()

    def _wait(self, work: Coroutine[Any, Any, None]) -> None:
        """Have something done on the stage's own loop."""
        assert self._loop is not None
        asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    def _database(self, name: str) -> str:
        return f"sqlite:///{self.folder / name}.sqlite"

    # What is there

    def _fill(self) -> None:
        (self.folder / "topology.toml").write_text(TOPOLOGY)
        self.keep_letters()
        self._keep_outbox()
        self._keep_pipelines()
        self.keep_batches()
        self._keep_operations()

    def _keep_outbox(self) -> None:
        """One row that waits, and one that was set aside."""
        outbox, engine = Outbox(), open_engine(self._database("outbox"))
        outbox.metadata.create_all(engine)
        with engine.begin() as connection:
            for number in ("1", "2"):
                message = Message(body=b"{}", id=number, type="OrderPaid")
                outbox.add(connection, message, to=Destination.queue("orders"))
            aside = update(outbox.table).where(outbox.table.c.id == "2")
            connection.execute(aside.values(relayed=SET_ASIDE, attempts=3, error=HOSTILE))
        engine.dispose()

    def _keep_pipelines(self) -> None:
        """One that runs, and one whose process died with a word on its lips."""
        folder, now = self.folder / "pipelines", time.time()
        running, dead = Place(folder, "orders"), Place(folder, "hostile")
        good = Status(
            pipeline="orders",
            state=State.RUNNING,
            batch=8,
            metrics=Metrics(rows=960, rows_per_second=120.0, lag=3),
            ui="http://127.0.0.1:4040",
            at=now,
        )
        write_status(running, good)
        write_status(
            dead,
            Status(
                pipeline="hostile", state=State.RUNNING, error=HOSTILE, ui="javascript:window.ran=1", at=now
            ),
        )
        self._held.enter_context(running.held())

    def _keep_operations(self) -> None:
        """A batch that was just cut, larger than a page shows, and an operation that waits for the next."""
        database = DomainDatabase(self._database("did"))
        circle = Circle(database, VirtualClock(time.time() - 50))
        circle.cut(circle.queue(*(created(Life(f"early {number}")) for number in range(101))))
        circle.queue(created(Life("waiting")))
        database.close()

    def keep_batches(self, reason: str = HOSTILE, name: str = "") -> None:
        """A batch that was observed, and one of which not all was any good; their DIDs are called so."""
        database = DomainDatabase(self._database("did"))
        asyncio.run(_go_round(Circle(database, VirtualClock(time.time() - 60)), reason, name))
        database.close()

    def keep_letters(self, text: str = HOSTILE, **changes: Any) -> None:
        """Three dead letters of one cause; those that a test has sent away are there again."""
        letters = DeadLetterStore(self._database("letters"))
        letters.create()
        letters.delete(Selection(state=None))
        letters.keep([replace(letter(number, text), **changes) for number in range(3)])
        letters.close()

    def schedule(self, key: str, in_seconds: float) -> None:
        """A job that waits for its time."""
        schedules = Schedules(self._database("schedules"))
        schedules.create()
        due_at = time.time() + in_seconds
        schedules.put(Scheduled(key=key, job="j", due_at=due_at, queue="reports", body=b"{}", priority=0))
        schedules.close()

    @contextmanager
    def cron(self, name: str, expression: str) -> Iterator[None]:
        """A cron of some program's, which nobody but the program ends."""
        schedules, engine = Schedules(self._database("schedules")), open_engine(self._database("schedules"))
        schedules.create()
        schedules.follow({name: Cron(expression)}, time.time())
        schedules.close()
        try:
            yield
        finally:
            with engine.begin() as connection:
                connection.execute(delete(table).where(table.c.cron.is_not(None)))
            engine.dispose()

    @contextmanager
    def worker(self, *reports: Any) -> Iterator[None]:
        """A worker with one job in hand, which has reported all this and does not come to its end."""
        routes, over = Routes(), asyncio.Event()

        @routes.route("/thumb/make")
        async def make(job: Job[int]) -> None:
            for each in reports:
                job.report(each)
            await over.wait()

        worker: Worker | None = None

        async def begin() -> None:
            nonlocal worker
            assert self._embedded is not None
            client = await connect(self._embedded.url, dial=self._embedded.dial)
            worker = Worker(routes, queues=["images"], broker=AmqpBroker(client))
            await worker.start()
            await worker.jobs.put("images", "/thumb/make", 1)

        async def end() -> None:
            over.set()
            if worker is not None:
                await worker.stop()

        self._wait(begin())
        try:
            yield
        finally:
            self._wait(end())

    # Speaking

    def api(self, verb: str, path: str, body: Any = None, user: str = "guest:guest") -> Any:
        """Ask the API as a tool would."""
        where = urlsplit(self.url)
        connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=30)
        try:
            secret = base64.b64encode(user.encode()).decode()
            told = None if body is None else json.dumps(body)
            connection.request(verb, path, told, {"Authorization": f"Basic {secret}"})
            answer = connection.getresponse()
            text = answer.read()
            assert answer.status < 300, (answer.status, text)
            return json.loads(text) if text else None
        finally:
            connection.close()

    def publish(self, queue: str, payload: str, **properties: Any) -> None:
        """Put one message into a queue."""
        body = {
            "routing_key": queue,
            "payload": payload,
            "payload_encoding": "string",
            "properties": properties,
        }
        assert self.api("POST", "/api/exchanges/%2F/amq.default/publish", body) == {"routed": True}

    @contextmanager
    def client(self, name: str) -> Iterator[pika.adapters.blocking_connection.BlockingChannel]:
        """A channel of an AMQP client that calls itself so."""
        told = {"connection_name": name}
        parameters = pika.ConnectionParameters("127.0.0.1", self.amqp_port, client_properties=told)
        connection = pika.BlockingConnection(parameters)
        try:
            yield connection.channel()
        finally:
            if connection.is_open:
                connection.close()


async def _go_round(circle: Circle, reason: str, name: str) -> None:
    spoilt, late, bad, good = (Life(each + name) for each in ("spoilt", "late", "bad", "good"))
    await circle.go_round(created(spoilt))
    posted = circle.queue(created(late), created(bad), forged(spoilt.update()), created(good))
    cut = circle.cut(posted)
    await circle.write(cut, deferred=[posted[0].id], refused={posted[1].id: reason})
    await circle.anchor(cut)
    await circle.publish()
    circle.observe()


def letter(number: int, text: str) -> DeadLetter:
    """A message that a mailer could not handle."""
    return DeadLetter(
        consumer="mailer",
        message_id=f"letter-{number}",
        queue="mail",
        body=b'{"template": "welcom"}',
        type="UserCreated",
        headers={"region": text},
        reason="failed",
        error=f"no such template: {text}",
        error_class="builtins.ValueError",
        trace="Traceback (most recent call last):\n  File mailer.py, line 12, in send\n    raise ValueError",
        attempts=5,
        first_failure=time.time() - 90,
        last_failure=time.time() - 30 + number,
    )
