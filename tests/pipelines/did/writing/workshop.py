"""A batch writer without Spark: a real queue on a broker on paper, and one process that is all executors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.clock import VirtualClock
from penstock.did.cas import ContentStorage, StoredContents
from penstock.did.domain import Places
from penstock.did.domain.parts import create_tables
from penstock.did.operation_queue import CutRules, OperationQueue
from penstock.did.operation_queue.cut_states import ANCHORED
from penstock.did.operation_queue.operation import message_of
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.messaging.subscriptions import Delivered
from penstock.pipelines.did.writing.desk import WritingDesk
from penstock.pipelines.did.writing.files import BatchFiles
from tests.did.operation_queue.helpers import PaperBroker, read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from penstock.did.anchors import Draft
    from penstock.did.database import DomainDatabase
    from penstock.did.operation_queue import Cut, Posted
    from penstock.pipelines.did.writing.outcome import Outcome

ANCHORS = sa.Table(
    "anchors", sa.MetaData(), sa.Column("operation", sa.String, nullable=False), sa.Column("cut", sa.Integer)
)
PARAMETERS = DidParameters(op_queue_task_expiration=11.0)
#: After it an instance that says nothing is dead, and what it has claimed is anybody's.
LONG_S = 100.0


def places_at(folder: Path, **more: Any) -> Places:
    values = {
        "base": "https://orb.example",
        "database": f"sqlite:///{folder}/domain.db",
        "storage": f"{folder}/cas",
        "broker": "",
        "key": "",
    }
    return Places(**(values | more))


def prepare(database: DomainDatabase) -> None:
    create_tables(database)
    database.do(ANCHORS.create)


class PaperAnchors:
    """Writes down which operations are anchored, in the transaction that says so."""

    def __init__(self) -> None:
        self.errors: list[Exception] = []
        #: With what each cut was written the last time.
        self.drafts: dict[int, Draft | None] = {}

    async def write(self, cut: Cut, draft: Draft | None = None) -> str:
        self.drafts[cut.id] = draft
        if self.errors:
            raise self.errors.pop(0)
        if cut.state != ANCHORED:
            out = {*cut.left_out.deferred, *cut.left_out.refused}
            rows = [{"operation": each.id, "cut": cut.id} for each in cut.operations if each.id not in out]
            await cut.record_anchor("hl:anchor", also=lambda c: c.execute(sa.insert(ANCHORS), rows))
        return "hl:anchor"


class Workshop:
    """One life of a batch writer."""

    def __init__(
        self,
        database: DomainDatabase,
        folder: Path,
        broker: PaperBroker | None = None,
        *,
        me: str = "me",
        full: int = 10_000,
        timeout: float = 0.0,
    ) -> None:
        self.database = database
        self.broker = broker or PaperBroker(VirtualClock(1_000_000.0))
        self.clock: Any = self.broker.clock
        rules = CutRules(max_operation_count=full, timeout=timeout)
        self.queue = OperationQueue(database, PARAMETERS, me=me, queues=DomainQueues(), rules=rules)
        self.anchors = PaperAnchors()
        self.desk = WritingDesk(self.queue, self.anchors, database, clock=self.clock)
        self.contents = StoredContents(f"{folder}/cas")
        cas = ContentStorage(self.contents, links_at="https://orb.example/cas")
        self.executor = BatchFiles(places_at(folder), database, cas)

    async def start(self) -> None:
        await self.queue.start(self.broker)

    async def take(self, batch: Sequence[Posted] = ()) -> None:
        """Add operations, and take all that there are in the broker."""
        to = DomainQueues().destination(DomainQueues().operation)
        assert not any(await self.broker.publish_many([(message_of(each), to) for each in batch]))
        messages = self.broker.take()
        nothing: Any = None
        taken = [Delivered(read(message), nothing) for message in messages]
        try:
            if taken:
                await self.queue._running.intake.take(taken)
        except BaseException:
            self.broker.give_back(messages)
            raise

    async def write(self) -> list[Outcome]:
        """One batch of Spark's, if there is one."""
        await self.desk.cut()
        due = await self.desk.due() if self.desk._unwritten else None
        outcomes = [self.executor.write(number) for number in (due.cuts if due else ())]
        await self.desk.settle(outcomes)
        return outcomes

    async def finish(self) -> None:
        while len(self.desk.finisher):
            await self.desk.finisher.finish()

    async def go_on(self) -> list[Outcome]:
        """All that there is to do now."""
        await self.queue.look_after_others()
        await self.desk.reopen()
        outcomes = await self.write()
        await self.finish()
        return outcomes

    def anchored(self) -> list[str]:
        return self.database.do(lambda c: list(c.scalars(sa.select(ANCHORS.c.operation))))
