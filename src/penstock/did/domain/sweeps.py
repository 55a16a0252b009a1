"""What expires in a domain's database, beside what its parts have registered themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.did.anchoring.links import expire_links
from penstock.did.federation.shortening import shorten_offers
from penstock.did.operation_queue.expiring import expire_acked, expire_operations
from penstock.did.operations.unpublished import expire_unpublished

if TYPE_CHECKING:
    from penstock.did.expiry import ExpiryService

__all__ = ["register_sweeps"]


def register_sweeps(expiry: ExpiryService) -> None:
    """Have all of it deleted when its time has come."""
    expiry.register("operations", expire_operations)
    expiry.register("acked operations", expire_acked)
    expiry.register("unpublished operations", expire_unpublished)
    expiry.register("anchors never observed", expire_links)
    expiry.register("old offers", shorten_offers)
