"""A domain's batches behind the panel's port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.bootstrap.panel_batches import DomainBatches
from penstock.clock import VirtualClock
from penstock.did.database import DomainDatabase
from tests.did.batches.circle import Circle, created
from tests.did.operation_queue.helpers import run
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from pathlib import Path


def test_batches_are_told_as_the_domain_has_them(tmp_path: Path) -> None:
    async def story() -> None:
        database = DomainDatabase(f"sqlite:///{tmp_path}/domain.db")
        circle, life = Circle(database, VirtualClock(NOW)), Life()
        cut = await circle.go_round(created(life))
        circle.queue(created(Life("bob")))
        batches = DomainBatches(database)
        (listed,) = await batches.listed(10)
        assert (listed.id, listed.state, listed.operations, listed.stored) == (cut.id, "observed", 1, 1)
        one = await batches.find(cut.id, start=0, limit=10)
        assert one is not None
        assert (one.batch, one.operations[0].outcome) == (listed, "resolvable")
        assert (await batches.waiting()).waiting == 1
        (anchor,) = await batches.anchors(10)
        assert (anchor.state, anchor.batch, anchor.linkset) == ("observed", cut.id, listed.linkset)
        did = await batches.did(life.suffix)
        assert did is not None
        assert (did.did, did.steps[0].batch) == (one.operations[0].did, cut.id)
        assert (await batches.find(4711, start=0, limit=1), await batches.did("nobody")) == (None, None)
        database.close()

    run(story())
