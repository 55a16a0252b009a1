"""Looking after a Delta table: small files become large ones, old rows go, and so do files that nobody needs.

A stream writes a file for each batch and partition. Readers pay for each, so they are gathered from time to
time; what was replaced, and what unfinished writes have left, stays for a while for those who read it just
now.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import TYPE_CHECKING, Final

from deltalake.exceptions import DeltaError

from penstock.errors import BadSetting, TableError

if TYPE_CHECKING:
    from deltalake import DeltaTable

    from penstock.pipelines.tables.location import Location

__all__ = ["Tended", "tend"]

#: Seconds that files stay after they were replaced: the longest that a query may read them, or a batch may
#: take.
KEEP_FILES: Final = 24 * 3600.0
_HOUR: Final = 3600.0


@dataclass(frozen=True, slots=True)
class Tended:
    """What was done."""

    #: Files that became fewer, and how many they became.
    gathered: int
    made: int
    #: Rows that were too old.
    expired: int
    #: Files that were removed from the disk.
    removed: int

    def __str__(self) -> str:
        return (
            f"{self.gathered} files became {self.made}, {self.expired} rows were too old,"
            f" {self.removed} files that nobody needs are gone"
        )


def tend(
    location: Location,
    *,
    now: float,
    keep: float | None = None,
    day: str = "day",
    keep_files: float = KEEP_FILES,
    file_size: int | None = None,
) -> Tended:
    """Gather small files, forget old rows, remove files that nobody needs. A stream may write meanwhile.

    Args:
        location: The table's.
        now: The time.
        keep: Seconds that rows are kept, by whole days of the column `day`; None is for ever.
        day: That column; a partition's.
        keep_files: Seconds that files stay after they were replaced or left.
        file_size: Bytes that files should have.

    Raises:
        UnknownTable: there is none.
        BadSetting: it has no such column to forget by.
        TableError: it could not be done; the table is as before.
    """
    table = location.table()
    try:
        expired = _expire(table, day, now - keep) if keep is not None else 0
        done = table.optimize.compact(target_size=file_size)
        removed = table.vacuum(
            retention_hours=ceil(keep_files / _HOUR),
            dry_run=False,
            enforce_retention_duration=False,
            full=True,
        )
        table.create_checkpoint()
    except DeltaError as exc:
        raise TableError(f"the table {location} could not be tended: {exc}") from exc
    return Tended(done["numFilesRemoved"], done["numFilesAdded"], expired, len(removed))


def _expire(table: DeltaTable, day: str, before: float) -> int:
    if day not in table.metadata().partition_columns:
        raise BadSetting(f"the table is not partitioned by {day}: what is too old?", setting="keep")
    limit = datetime.fromtimestamp(before, UTC).date().isoformat()
    # Whole partitions, so nothing is rewritten: their files are no longer named.
    done = table.delete(f"{day} < '{limit}'")
    return int(done.get("num_deleted_rows") or 0)
