"""Files become part of a table: one transaction for each batch, and none for a batch that was there before.

Delta's log keeps the last batch of each query (its `txn` actions), written together with the batch's files:
both are there, or neither.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.exceptions import DeltaError
from deltalake.schema import Field
from deltalake.transaction import AddAction

from penstock.durable import sync
from penstock.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.pipelines.tables.columns import Fit
    from penstock.pipelines.tables.files import TableFile
    from penstock.pipelines.tables.location import Location

__all__ = ["Batch", "abandon", "commit"]


class Batch(NamedTuple):
    """Which batch of which query."""

    #: The query's id, which lives as long as its checkpoint: with a new checkpoint, batches count from 0
    #: again.
    query: str
    number: int


def commit(
    location: Location,
    fit: Fit,
    files: Sequence[TableFile],
    *,
    partition_by: Sequence[str],
    batch: Batch | None,
    overwrite: bool = False,
    now: float,
) -> bool:
    """Name the files in the table's log; False if the batch was there before, and the files are gone again.

    Raises:
        TableError: the log could not be written; or what comes after that has failed.
    """
    table = location.maybe_table()
    if table is not None and batch is not None and _is_there(table, batch):
        location.forget([file.name for file in files])
        return False
    try:
        table = table or _made(location, fit, partition_by)
        if not overwrite and fit.added:
            table.alter.add_columns([Field.from_json(json.dumps(field)) for field in fit.added])
        table.create_write_transaction(
            [_action(file, now) for file in files],
            mode="overwrite" if overwrite else "append",
            schema=table.schema(),
            partition_by=table.metadata().partition_columns,
            commit_properties=CommitProperties(
                app_transactions=[Transaction(batch.query, batch.number)] if batch is not None else None
            ),
        )
    except (DeltaError, OSError) as exc:
        raise TableError(f"the table {location} could not be written: {exc}") from exc
    _sync_log(location)
    return True


def abandon(location: Location, files: Sequence[TableFile]) -> None:
    """Remove the files of a batch that has failed, but for those that the log names all the same.

    A commit may fail with its entry written: when the log's own checkpoint, made next, finds no room, or its
    process is killed. When the batch is run again it is there already, so nobody would write its rows anew.
    """
    table = location.maybe_table()
    actions = pa.table(table.get_add_actions(flatten=True)) if table is not None else None
    named = set() if actions is None else {unquote(path) for path in actions["path"].to_pylist()}
    location.forget([file.name for file in files if file.name not in named])


def _is_there(table: DeltaTable, batch: Batch) -> bool:
    last = table.transaction_version(batch.query)
    return last is not None and last >= batch.number


def _made(location: Location, fit: Fit, partition_by: Sequence[str]) -> DeltaTable:
    # Ignored if somebody else has made it meanwhile; the transaction then finds out whether it fits.
    return DeltaTable.create(
        location.uri,
        Schema.from_json(json.dumps(fit.table)),
        mode="ignore",
        partition_by=list(partition_by),
        storage_options=dict(location.storage) or None,
    )


def _action(file: TableFile, now: float) -> Any:
    return AddAction(
        path=file.name,
        size=file.size,
        partition_values=dict(file.partition),
        modification_time=int(now * 1000),
        data_change=True,
        stats=file.statistics,
    )


def _sync_log(location: Location) -> None:
    """Have the log on disk: when a batch is done, the queue forgets its messages."""
    if location.folder is None:
        return
    log = location.folder / "_delta_log"
    newest = max(log.glob("*.json"), default=None)
    if newest is not None:
        sync(newest)
    sync(log)
