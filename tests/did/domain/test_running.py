from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.anchoring.monitor import ANCHOR_STATUS_MONITOR
from penstock.did.domain import WORKER, WRITER
from penstock.did.domain.sweeps import CONTENT_SWEEP
from penstock.did.expiry import DATA_EXPIRY
from penstock.did.observing.catching_up import ACTIVITY_SYNC
from penstock.did.operation_queue.monitor import MONITOR
from penstock.messaging.dead_letters import DeadLetterStore, Selection
from penstock.messaging.message import Destination, Message
from tests.did.domain.living import embedded, living
from tests.did.operation_queue.helpers import run
from tests.server.peer import until

if TYPE_CHECKING:
    from pathlib import Path


def test_each_task_is_one_roles_business(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            embedded() as broker,
            living(tmp_path, broker, roles=[WORKER]) as worker,
            living(tmp_path, broker, "orb2", roles=[WRITER]) as writer,
        ):
            assert set(worker.tasks._tasks) == {
                ACTIVITY_SYNC,
                ANCHOR_STATUS_MONITOR,
                CONTENT_SWEEP,
                DATA_EXPIRY,
            }
            assert set(writer.tasks._tasks) == {MONITOR}

    run(story())


def test_what_no_handler_can_take_is_kept_as_a_dead_letter(tmp_path: Path) -> None:
    async def story() -> None:
        async with embedded() as broker, living(tmp_path, broker, roles=[WORKER]) as domain:
            for queue in ("orb.anchor_linkset", "orb.activity.inbox", "orb.activity.outbox"):
                await broker.publish(Message(body=b"{"), Destination("orb", queue))
            store = DeadLetterStore(domain.places.database)
            await until(lambda: len(store.newest(Selection(), 9)) == 3)
            kept = {letter.queue for letter in store.newest(Selection(), 9)}
            assert kept == {"orb.anchor_linkset", "orb.activity.inbox", "orb.activity.outbox"}
            store.close()

    run(story())
