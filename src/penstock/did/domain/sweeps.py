"""What expires in a domain's records, and in its storage."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Final

from penstock.did.anchoring.in_process import expire_completed
from penstock.did.anchoring.links import expire_links
from penstock.did.cas import StoredContents
from penstock.did.federation.shortening import shorten_activities
from penstock.did.operation_queue.expiring import expire_acked, expire_operations
from penstock.did.operations.unpublished import expire_unpublished
from penstock.did.tasks import Task

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.expiry import ExpiryService
    from penstock.did.parameters import DidParameters

__all__ = ["CONTENT_SWEEP", "content_sweep", "register_sweeps"]

#: The task's name at the task manager.
CONTENT_SWEEP: Final = "content-sweep"
#: Seconds between two looks through the storage: it may hold millions.
SWEEP_IN_S: Final = 3600.0
#: Seconds after which nobody is writing at a content any more.
ABANDONED_S: Final = 24 * 3600.0


def content_sweep(storage: str, clock: Clock) -> Task:
    """The task that deletes what writers have left in a storage who died while they wrote."""
    contents = StoredContents(storage)

    async def sweep() -> int:
        return await asyncio.to_thread(contents.sweep, clock.now() - ABANDONED_S)

    return Task(CONTENT_SWEEP, SWEEP_IN_S, sweep)


def register_sweeps(expiry: ExpiryService, parameters: DidParameters) -> None:
    """Have all of it deleted when its time has come."""
    expiry.register("operations", expire_operations)
    expiry.register("acked operations", expire_acked)
    expiry.register("unpublished operations", expire_unpublished)
    expiry.register("completed anchors", expire_completed)
    expiry.register("anchors never observed", expire_links)
    kept_for = parameters.activity_linkset_lifespan
    expiry.register("linksets in old activities", partial(shorten_activities, kept_for=kept_for))
