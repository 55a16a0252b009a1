"""The tables of the operation queue: operations, cuts, and the tasks of the instances that hold them.

Knows columns, not what is done with them. Who an operation belongs to is in its own row, so that taking it
is one conditional update, and two who try cannot both succeed:

    task T, no cut            it waits at instance T
    task `detached`, no cut   it is nobody's, and to be posted anew
    cut N                     it is in cut N, which is T's until another adopts it
    cut N, which is acked     it is anchored; the row remembers that for a while, and goes with the cut

What it asks for is in a row of its own, its body (bodies.py): a thousand bytes that never change, beside a
hundred that change with every step. Whoever cuts ten thousand operations writes only these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    func,
    insert,
    select,
    text,
)

from penstock.messaging.layout import COUNTED, Layout, adding

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

__all__ = ["DETACHED", "OPERATION_QUEUE", "TOLD", "bodies", "cuts", "held_by", "operations", "tasks"]

#: The task of operations that no instance has.
DETACHED: Final = "detached"

_metadata = MetaData()

#: - sequence: the order they were taken in.
#: - id: the hash of the request (operation.py).
#: - claim, due_at: who is posting a detached one anew, and until when others leave it to it.
#: - retries, has_error, error: how often it was posted anew, whether it is to blame, and why the last time.
#: - expires_at: from then on the entry may go, if its task is gone.
operations: Final = Table(
    "penstock_operations",
    _metadata,
    Column("sequence", COUNTED, Identity(), primary_key=True),
    Column("id", String, nullable=False, unique=True),
    Column("task", String, nullable=False),
    Column("cut", BigInteger),
    Column("claim", String),
    Column("due_at", Double),
    Column("retries", Integer, nullable=False),
    Column("has_error", Boolean, nullable=False),
    Column("error", Text),
    Column("added_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
    # What is in a cut is found by the cut's own list: the index holds what waits, and nothing else.
    Index(
        "penstock_operations_waiting",
        "task",
        "sequence",
        postgresql_where=text("cut IS NULL"),
        sqlite_where=text("cut IS NULL"),
    ),
)

#: - sequence: the operation's. One that an older Penstock has acked has no body any more.
#: - body: the operation (operation.py).
bodies: Final = Table(
    "penstock_operation_bodies",
    _metadata,
    Column("sequence", COUNTED, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
)

#: Who has an operation, where it is found by its id: an index by task would lead through all that waits.
held_by: Final = func.coalesce(operations.c.task, "")

#: - state: see cut_states.py.
#: - size: how many operations it has. queued_at: when the first of them was taken.
#: - files, anchor: what the batch writer wrote down. written_at, anchored_at: when.
#: - asked, proofs: how many witnesses were asked, and had proved when that was enough, at proved_at.
#: - linkset: the resource hash of its linkset, which is final then. published_at: when that was handed on.
#: - trouble: why its anchor could not be observed here, the last time that this was so.
#: - expires_at: of an acked one; until then its operations are known by their ids.
#: - left_out: those that the files leave out, and why, as JSON. operations: their ids in order, as JSON.
#: - contents: the type and the DID's suffix of each, in that order, as JSON; of an acked one.
#: - sequences: those of their rows, in that order, as JSON; NULL where they were not known, as in older cuts.
#: What grows with the operations stands last: SQLite goes through it to reach what stands behind it.
cuts: Final = Table(
    "penstock_cuts",
    _metadata,
    Column("id", COUNTED, Identity(), primary_key=True),
    Column("task", String, nullable=False),
    Column("state", String, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("made_at", Double, nullable=False),
    Column("size", Integer),
    Column("queued_at", Double),
    Column("files", Text),
    Column("anchor", Text),
    Column("written_at", Double),
    Column("anchored_at", Double),
    Column("asked", Integer),
    Column("proofs", Integer),
    Column("proved_at", Double),
    Column("linkset", String),
    Column("published_at", Double),
    Column("trouble", Text),
    Column("expires_at", Double),
    Column("left_out", Text, nullable=False),
    Column("operations", Text, nullable=False),
    Column("contents", Text),
    Column("sequences", Text),
    Index("penstock_cuts_by_state", "state", "expires_at"),
    # A number is an offset to whoever reads cuts: it must not come again when a row is gone.
    sqlite_autoincrement=True,
)

#: One row for each instance that has operations, or may get some.
tasks: Final = Table(
    "penstock_operation_tasks",
    _metadata,
    Column("task", String, primary_key=True),
    Column("updated_at", Double, nullable=False),
)


#: What is told of a batch on its way; the first layout had none of these.
TOLD: Final = (
    *("size", "queued_at", "written_at", "anchored_at"),
    *("asked", "proofs", "proved_at", "linkset", "published_at", "trouble", "contents"),
)


def _part_bodies(connection: Connection) -> None:
    """The first two layouts had bodies in the rows of their operations."""
    if connection.dialect.name == "postgresql":
        # Before they are read: an instance of the older Penstock may be taking operations, and would be heard
        # only when they are dropped.
        connection.exec_driver_sql(f"LOCK TABLE {operations.name}")
    bodies.create(connection)
    columns = (Column(each.name, each.type) for each in bodies.c)
    old = Table(operations.name, MetaData(), *columns)
    whole = select(old).where(old.c.body.is_not(None)).order_by(old.c.sequence)
    connection.execute(insert(bodies).from_select(["sequence", "body"], whole))
    connection.exec_driver_sql(f"ALTER TABLE {operations.name} DROP COLUMN body")


OPERATION_QUEUE: Final = Layout(
    "operation queue",
    _metadata,
    steps=[adding(*(cuts.c[name] for name in TOLD)), _part_bodies, adding(cuts.c.sequences)],
)
