"""The operation queue of a DID domain: operations on their way from a client to a batch.

Pure: operation, seal, pending, cutter, cut_states, copies, hearing. Functions of a database connection:
taking, bodies, heartbeat, cuts, detached, expiring. At work: queue, intake, cutting, cut, reposting, monitor,
heart.

Whoever reads a cut elsewhere, as Spark's executors do, needs the database and its number:
`read_operations_of(connection, read_cut(connection, number))` is the same until it expires.
"""

from penstock.did.operation_queue.cut import Cut
from penstock.did.operation_queue.cuts import CutRecord, read_cut
from penstock.did.operation_queue.cutter import CutRules
from penstock.did.operation_queue.operation import Posted, QueuedOperation, operation_id
from penstock.did.operation_queue.queue import OperationQueue
from penstock.did.operation_queue.tables import OPERATION_QUEUE
from penstock.did.operation_queue.taking import read_operations_of, read_posted

__all__ = [
    "OPERATION_QUEUE",
    "Cut",
    "CutRecord",
    "CutRules",
    "OperationQueue",
    "Posted",
    "QueuedOperation",
    "operation_id",
    "read_cut",
    "read_operations_of",
    "read_posted",
]
