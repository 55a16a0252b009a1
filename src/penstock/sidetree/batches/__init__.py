"""From queued operations to batches, in three steps that need not happen in one place.

    judge   each operation by itself: ok, expired, or invalid and why. Any partition of the queue will do;
            what was judged when it was taken in is judged again by the clock alone
    plan    which of them go together: the k-th operation of a DID into round k, count and size within limits
    build   the files of each batch, byte for byte the same wherever the judging was done

`assemble` does all three.
"""

from penstock.sidetree.batches.assembly import Assembly, Batch, assemble, assembled, built
from penstock.sidetree.batches.judging import Candidate, Judged, Queued, judge, judge_again, trusted
from penstock.sidetree.batches.planning import Plan, planned

__all__ = [
    "Assembly",
    "Batch",
    "Candidate",
    "Judged",
    "Plan",
    "Queued",
    "assemble",
    "assembled",
    "built",
    "judge",
    "judge_again",
    "planned",
    "trusted",
]
