"""What is kept of operations, changed behind a domain's back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete

from penstock.did.operations import add_operations
from penstock.did.operations.history import operations_between
from penstock.did.operations.tables import did_batches, did_operations

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy.engine import Connection

    from penstock.sidetree.anchored import Anchored

__all__ = ["FIRST_KEY", "change_operations", "forget_operations"]

#: Less than the key of any DID.
FIRST_KEY = -(2**63)


def change_operations(connection: Connection, change: Callable[[Anchored], Anchored | None]) -> None:
    """Have each operation be what it is changed to, or be gone with None."""
    every = operations_between(connection, FIRST_KEY, None)
    forget_operations(connection)
    add_operations(connection, [found for each in every if (found := change(each)) is not None])


def forget_operations(connection: Connection) -> None:
    """Have none."""
    for table in (did_operations, did_batches):
        connection.execute(delete(table))
