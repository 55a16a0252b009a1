"""Real processes, a real broker in another, and kill -9: nothing is lost, nothing anchored twice."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import TYPE_CHECKING

import sqlalchemy as sa

from penstock.did.database import DomainDatabase
from penstock.did.operation_queue import OPERATION_QUEUE
from penstock.did.operation_queue.operation import message_of
from penstock.did.queues import DomainQueues
from penstock.messaging import open_broker
from tests.did.operation_queue.app import ANCHORS
from tests.did.operation_queue.helpers import posted
from tests.servers.nursery import nursery

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.nursery import Born
    from tests.servers.running import Running

#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 240.0
#: Operations that are added before each life.
COUNT = 30
#: The last transaction of each life, and whether it is done.
LIVES = [(3, False), (5, True), (8, True), (9, False), (10, True), (11, False), (14, True)]


class Domain:
    """A domain's database and broker, and the lives of its instances."""

    def __init__(self, folder: Path, broker_url: str, name: str) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder}/domain.db"
        self.broker_url = broker_url
        self.queues = DomainQueues(name)
        self.database = DomainDatabase(self.url)
        self.database.create(OPERATION_QUEUE)
        self.database.do(ANCHORS.create)
        self.added: list[str] = []

    async def add(self, count: int) -> None:
        broker = await open_broker(self.broker_url)
        await broker.initialize(self.queues.topology())
        to = self.queues.destination(self.queues.operation)
        batch = [posted(len(self.added) + number) for number in range(count)]
        assert not any(await broker.publish_many([(message_of(each), to) for each in batch]))
        self.added += [each.id for each in batch]
        await broker.close()

    def start(self, me: str, dies_at: int = 0, *, is_done: bool = False) -> Born:
        arguments = [self.queues.domain, me, self.url, self.broker_url, str(dies_at), str(int(is_done))]
        program = nursery("tests.did.operation_queue.app:run")
        return program.start(*arguments, folder=self.folder, log=self.folder / f"{me}.log")

    def anchored(self) -> list[str]:
        return self.database.do(lambda c: list(c.scalars(sa.select(ANCHORS.c.operation))))


def test_instances_that_are_killed_lose_nothing_and_anchor_nothing_twice(
    tmp_path: Path, penstock_server: Running, name: str
) -> None:
    domain = Domain(tmp_path, penstock_server.url, name)
    for number, (dies_at, is_done) in enumerate(LIVES):
        asyncio.run(domain.add(COUNT))
        life = domain.start(f"life-{number}", dies_at, is_done=is_done)
        assert life.wait(PATIENCE_S) == -signal.SIGKILL
    last = domain.start("last")
    until = time.monotonic() + PATIENCE_S
    while len(domain.anchored()) < len(domain.added) and time.monotonic() < until:
        time.sleep(0.05)
    last.kill()
    assert sorted(domain.anchored()) == sorted(domain.added)
    domain.database.close()
