"""A domain that a batch writer works for: its places, what is posted to it, and what has become of that."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from penstock.did.anchoring.tables import anchors
from penstock.did.database import DomainDatabase
from penstock.did.domain import Places
from penstock.did.domain.keys import make_key
from penstock.did.domain.parts import create_tables
from penstock.did.operation_queue.cut_states import ACKED
from penstock.did.operation_queue.cuts import read_cut
from penstock.did.operation_queue.operation import message_of
from penstock.did.operation_queue.tables import cuts
from penstock.did.parameters import DidParameters
from penstock.messaging import open_broker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from penstock.did.operation_queue import CutRecord, Posted

#: Seconds within which everything happens that must happen; far more than it needs, Java's start included.
PATIENCE_S = 600.0


def wait_for(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, f"{what} has not happened"
        time.sleep(0.02)


class Domain:
    """A domain's places, as the test sees them."""

    def __init__(self, folder: Path, broker_url: str, word: str, **parameters: Any) -> None:
        self.folder = folder
        make_key(folder / "key.pem")
        self.places = Places(
            base="https://orb.example",
            database=f"sqlite:///{folder}/domain.db",
            storage=str(folder / "cas"),
            broker=broker_url,
            key=str(folder / "key.pem"),
            word=word,
            parameters=DidParameters(batch_writer_timeout=200, **parameters),
        )
        self.database = DomainDatabase(self.places.database)
        create_tables(self.database)
        self.added: list[str] = []

    def add(self, batch: Sequence[Posted]) -> None:
        asyncio.run(self._add(batch))
        self.added += [each.id for each in batch]

    async def _add(self, batch: Sequence[Posted]) -> None:
        broker = await open_broker(self.places.broker)
        queues = self.places.queues
        await broker.initialize(queues.topology(self.places.parameters.queue_arguments))
        to = queues.destination(queues.operation)
        assert not any(await broker.publish_many([(message_of(each), to) for each in batch]))
        await broker.close()

    def cuts(self) -> list[CutRecord]:
        def read(connection: sa.Connection) -> list[CutRecord]:
            found = [read_cut(connection, number) for number in connection.scalars(sa.select(cuts.c.id))]
            return [each for each in found if each is not None]

        return self.database.read(read)

    def anchored(self) -> list[str]:
        """The operations in batches that are done with; a batch with two anchors has them twice."""
        per_cut = sa.select(anchors.c.cut, sa.func.count()).group_by(anchors.c.cut)
        found = self.database.read(lambda c: Counter(dict(map(tuple, c.execute(per_cut)))))
        return [
            operation
            for each in self.cuts()
            if each.state == ACKED
            for operation in each.included
            for _ in range(found[each.id])
        ]

    def wait_until_anchored(self, ids: Sequence[str] | None = None) -> None:
        wanted = set(self.added if ids is None else ids)
        wait_for(lambda: wanted <= set(self.anchored()), "an anchor for each operation")
