"""Message ids that are the same when a batch is written again: of query, batch, partition and row. Pure.

Spark writes a batch again if it does not know that it was written. Its rows then get the same ids, by which a
broker, an inbox or a spool recognises them.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BATCH", "QUERY", "ids_of"]

#: What Spark calls them in a task's properties.
QUERY: Final = "sql.streaming.queryId"
BATCH: Final = "streaming.sql.batchId"

#: Ours, so that nobody else's names make the same ids.
_NAMESPACE: Final = uuid.UUID("6b2f6d0a-6f0c-4f0e-9b1e-7d1f0a5c3e42")


def ids_of(query: str, batch: str, partition: int) -> Callable[[int], str]:
    """The ids of a task's rows: 24 digits that stand for the first three, and the row's number."""
    part = uuid.uuid5(_NAMESPACE, f"{query}/{batch}/{partition}").hex[:24]
    return lambda row: f"{part}-{row:x}"
