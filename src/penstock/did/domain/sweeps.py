"""What expires in a domain's database, beside what its parts have registered themselves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.did.anchoring.links import expire_links
from penstock.did.federation.shortening import shorten_activities
from penstock.did.operation_queue.expiring import expire_acked, expire_operations
from penstock.did.operations.unpublished import expire_unpublished

if TYPE_CHECKING:
    from penstock.did.expiry import ExpiryService
    from penstock.did.parameters import DidParameters

__all__ = ["register_sweeps"]


def register_sweeps(expiry: ExpiryService, parameters: DidParameters) -> None:
    """Have all of it deleted when its time has come."""
    expiry.register("operations", expire_operations)
    expiry.register("acked operations", expire_acked)
    expiry.register("unpublished operations", expire_unpublished)
    expiry.register("anchors never observed", expire_links)
    kept_for = parameters.activity_linkset_lifespan
    expiry.register("linksets in old activities", partial(shorten_activities, kept_for=kept_for))
