"""An instance of a domain, to be killed with -9 before or after any of its transactions.

    python -m tests.did.operation_queue.app NAME ME DATABASE BROKER DIES_AT IS_DONE

It takes operations, cuts batches of up to seven, anchors them (a row for each operation, in the transaction
that says so), acks them, and nacks every fifth batch. The transaction with the number DIES_AT is its last,
and is done if IS_DONE is 1; number 0 lets it live.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.did.database import DomainDatabase
from penstock.did.operation_queue import OPERATION_QUEUE, CutRules, OperationQueue
from penstock.did.operation_queue.cut_states import CUT, FILES
from penstock.did.parameters import DidParameters
from penstock.did.queues import DomainQueues
from penstock.messaging import open_broker

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.did.operation_queue import Cut

ANCHORS = sa.Table(
    "anchors", sa.MetaData(), sa.Column("operation", sa.String, nullable=False), sa.Column("cut", sa.Integer)
)
PARAMETERS = DidParameters(
    op_queue_task_monitor_interval=0.2,
    op_queue_task_expiration=1.0,
    op_queue_repost_initial_delay=0.1,
    op_queue_repost_max_delay=0.2,
)


class MortalDatabase(DomainDatabase):
    """Kills the process at a transaction."""

    def __init__(self, url: str, dies_at: int, *, is_done: bool) -> None:
        super().__init__(url)
        self._left = dies_at
        self._is_done = is_done

    async def run(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._left -= 1
        is_last = self._left == 0
        if is_last and not self._is_done:
            os.kill(os.getpid(), signal.SIGKILL)
        found = await super().run(work, *args, **kwargs)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return found


async def finish(cut: Cut) -> None:
    """Go on with a cut from where it is."""

    def anchor(connection: sa.Connection) -> None:
        rows = [{"operation": each.id, "cut": cut.id} for each in cut.operations]
        connection.execute(sa.insert(ANCHORS), rows)

    if cut.state == CUT and cut.id % 5 == 0:
        await cut.nack("every fifth fails")
        return
    if cut.state == CUT:
        await cut.record_files({"core": f"hl:{cut.id}"})
    if cut.state == FILES:
        await cut.record_anchor(f"hl:{cut.id}", also=anchor)
    await cut.ack()


async def live(name: str, me: str, database: MortalDatabase, broker_url: str) -> None:
    queues = DomainQueues(name)
    broker = await open_broker(broker_url)
    queue = OperationQueue(
        database, PARAMETERS, me=me, queues=queues, rules=CutRules(max_operation_count=7, timeout=0.1)
    )
    await queue.start(broker)
    while True:
        await queue.look_after_others()
        for left in await queue.reopen():
            await finish(left)
        while cut := await queue.cut():
            await finish(cut)
        await asyncio.sleep(0.02)


def run() -> None:
    name, me, url, broker, dies_at, is_done = sys.argv[1:]
    database = MortalDatabase(url, int(dies_at), is_done=is_done == "1")
    database.create(OPERATION_QUEUE)
    asyncio.run(live(name, me, database, broker))


if __name__ == "__main__":
    run()
