"""DIDs that have an anchor, as if one had been observed; of what they are is nobody's business."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from penstock.did.anchoring import put_observed
from penstock.did.cas import HashLink
from penstock.did.operations import add_operations
from penstock.sidetree.anchored import Anchored

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

__all__ = ["put_did_anchors"]


def put_did_anchors(
    connection: Connection, suffixes: Iterable[str], *, anchor: str, issued_at: float
) -> None:
    """Each of these DIDs has an operation in the anchor with this hashlink."""
    name = anchor.split(":")[1]
    put_observed(connection, HashLink.to(name, []), issued_at, issued_at=issued_at, stored=0)
    one = Anchored(
        type="create", suffix="", request=b"{}", time=int(issued_at), reference=name, equivalents=(anchor,)
    )
    add_operations(connection, [replace(one, suffix=suffix) for suffix in suffixes])
