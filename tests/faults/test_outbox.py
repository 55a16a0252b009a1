"""Nothing is lost from database to broker to handler, whatever dies: real PostgreSQL, brokers and kills.

Each life of the application ends with -9 at a step that it was told (outbox_app.py); the next life finishes
the work. Then: every committed change was published, every message was applied exactly once, and every
answer that a handler added is out.
"""

from __future__ import annotations

import asyncio
import signal
import uuid
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.client import connect
from tests.faults import outbox_app
from tests.faults.broker import wait_for
from tests.servers import penstock, postgresql, rabbitmq
from tests.servers.nursery import nursery
from tests.servers.running import Running, shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.servers.nursery import Born
    from tests.servers.postgresql import PostgreSQL

COUNT = 12

#: Where the application dies; the first on each broker, the others are the same whatever the broker is.
STEPS = [
    "between the publish and the mark",
    "between the handler's commit and the ack",
    "before the change",
    "between the change and its message",
    "between the message and the commit",
    "after the commit",
    "before the publish",
    "before the handler",
    "after the inbox row",
    "after the handler's change",
    "before the handler's commit",
    "after the ack",
]
DEATHS = [*(("rabbitmq", step) for step in STEPS[:2]), *(("penstock", step) for step in STEPS)]


@pytest.fixture(scope="module")
def server(real_program: Callable[[str], Path]) -> Iterator[PostgreSQL]:
    server = postgresql.start(real_program("postgresql"), postgresql.IMPATIENT)
    yield server
    server.destroy()


@pytest.fixture(params=["rabbitmq", "penstock"])
def broker_url(request: pytest.FixtureRequest, run_folder: Path, real_program: Callable[[str], Path]) -> str:
    if request.param == "penstock":
        return shared("penstock", notes=run_folder, start=penstock.start).url
    program = real_program("rabbitmq")

    def start(folder: Path) -> Running:
        return rabbitmq.start(program, folder)

    return shared("rabbitmq", notes=run_folder, start=start).url


class Story:
    """An application in several processes, its database and its broker."""

    def __init__(self, database: str, broker: str, folder: Path) -> None:
        self.names = outbox_app.Names(f"outbox-{uuid.uuid4().hex[:8]}")
        self.database = database
        self.broker = broker
        self.folder = folder
        self.engine = sa.create_engine(database, pool_pre_ping=True)
        outbox_app.METADATA.drop_all(self.engine)
        outbox_app.METADATA.create_all(self.engine)
        asyncio.run(self._declare())
        self.alive: list[Born] = []

    async def _declare(self) -> None:
        async with await connect(self.broker) as client:
            topology = self.names.topology
            await client.declare(*topology.exchanges, *topology.queues, *topology.bindings)

    def start(self, roles: str = "produce,relay,consume", *, crash_at: str = "") -> Born:
        arguments = [self.names.exchange, roles, self.database, self.broker, crash_at, str(COUNT)]
        log = self.folder / f"{len(self.alive)}.log"
        process = nursery("tests.faults.outbox_app:run").start(*arguments, folder=self.folder, log=log)
        self.alive.append(process)
        wait_for(lambda: log.exists() and log.read_text().startswith("ready\n"), "a ready application")
        return process

    def count(self, query: sa.Select[int]) -> int:
        with self.engine.connect() as connection:
            return connection.scalar(query) or 0

    def is_done(self) -> bool:
        """All changes made, applied, and their answers published."""
        made = self.count(sa.select(sa.func.count()).select_from(outbox_app.CHANGES))
        applied = self.count(sa.select(sa.func.count()).select_from(outbox_app.APPLIED))
        outbox = outbox_app.OUTBOX.table
        out = self.count(sa.select(sa.func.count()).select_from(outbox).where(outbox.c.relayed > 0))
        return (made, applied, out) == (COUNT, COUNT, 2 * COUNT)

    def check(self) -> None:
        """Exactly once, and all answers arrived."""
        applied = outbox_app.APPLIED.c
        with self.engine.connect() as connection:
            rows = connection.execute(sa.select(applied.n, applied.times).order_by(applied.n)).all()
        assert [tuple(row) for row in rows] == [(n, 1) for n in range(1, COUNT + 1)]
        assert {int(body) for body in asyncio.run(self._answers())} == set(range(1, COUNT + 1))

    async def _answers(self) -> list[bytes]:
        async with await connect(self.broker) as client:
            found = []
            while delivery := await client.get(self.names.answers):
                found.append(bytes(delivery.body))
                delivery.ack()
            return found

    def end(self) -> None:
        for process in self.alive:
            process.kill()
        self.engine.dispose()


@pytest.fixture
def story(server: PostgreSQL, broker_url: str, tmp_path: Path) -> Iterator[Story]:
    assert server.running is not None
    story = Story(postgresql.url_of(server.running), broker_url, tmp_path)
    yield story
    story.end()


def each_broker(*names: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("broker_url", names, indirect=True)


@pytest.mark.parametrize(
    ("broker_url", "step"), DEATHS, ids=[f"{name}-{step}" for name, step in DEATHS], indirect=["broker_url"]
)
def test_killed_at_any_step_nothing_is_lost_or_applied_twice(story: Story, step: str) -> None:
    died = story.start(crash_at=step)
    assert died.wait(60) == -signal.SIGKILL
    story.start()
    wait_for(story.is_done, "everything to be done")
    story.check()


@each_broker("rabbitmq", "penstock")
def test_a_database_that_is_restarted_loses_nothing(story: Story, server: PostgreSQL) -> None:
    story.start("relay")
    died = story.start("produce", crash_at="after the commit")
    assert died.wait(60) == -signal.SIGKILL
    server.restart()
    story.start("produce,consume")
    wait_for(story.is_done, "everything to be done")
    story.check()


@each_broker("penstock")
def test_two_relays_of_which_one_is_killed(story: Story) -> None:
    story.start()
    other = story.start("relay")
    other.kill()
    wait_for(story.is_done, "everything to be done")
    story.check()
