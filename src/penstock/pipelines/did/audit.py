"""An audit: every anchor and every DID of a node is looked at, all over the executors. Nothing is changed."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from penstock.did.domain.parts import open_database
from penstock.did.observing.auditing import observed_anchors
from penstock.did.observing.findings import Finding
from penstock.did.operations.history import first_of_each
from penstock.pipelines.did.observing.executing import audit_anchors, audit_dids
from penstock.pipelines.did.spreading import spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pyspark.sql import SparkSession

    from penstock.did.domain import Places
    from penstock.did.observing.auditing import Audited

    #: Told what is looked at, how much of it is done, and of how much.
    OnProgress = Callable[[str, int, int], object]

__all__ = ["Audit", "audit"]

#: Operations that an executor reads at once.
OPERATIONS: Final = 5_000


class Audit(Struct, frozen=True, kw_only=True, gc=False):
    """What was looked at, and everything that does not hold."""

    anchors: int
    dids: int
    operations: int
    findings: Sequence[Finding]


def audit(
    spark: SparkSession, places: Places, on_progress: OnProgress = lambda _what, _done, _all: None
) -> Audit:
    """Look at everything that a node has observed.

    Raises:
        StoreError: the database cannot be read.
    """
    database = open_database(places)
    try:
        anchors = sorted(database.read(observed_anchors))
        bounds = database.read(first_of_each, OPERATIONS)
    finally:
        database.close()
    text, ranges = places.to_json(), list(pairwise([*bounds, None]))
    of_anchors = spread(
        spark,
        partial(audit_anchors, text),
        anchors,
        on_progress=lambda done: on_progress("anchors", done, len(anchors)),
    )
    of_dids = spread(
        spark,
        partial(audit_dids, text),
        ranges,
        on_progress=lambda done: on_progress("ranges of DIDs", done, len(ranges)),
    )
    stored = _counted(of_dids)
    found = [finding for audited in (*of_anchors, *of_dids) for finding in audited.findings]
    return Audit(
        anchors=len(anchors),
        dids=sum(audited.dids for audited in of_dids),
        operations=stored.total(),
        findings=[*found, *_unanchored(stored, dict.fromkeys(anchors, 0) | _counted(of_anchors), found)],
    )


def _counted(audited: Sequence[Audited]) -> Counter[str]:
    """Operations by their anchor."""
    return sum((Counter(each.operations) for each in audited), Counter[str]())


def _unanchored(
    stored: Mapping[str, int], anchored: Mapping[str, int], found: Sequence[Finding]
) -> Iterator[Finding]:
    """Operations in the database that are in no anchor, or in none that was observed."""
    # Of an anchor that cannot be read nobody knows what is in it, and that is told already.
    unread = {finding.about for finding in found}
    for name, count in sorted(stored.items()):
        if name not in anchored:
            yield Finding(
                kind="unanchored", about=name, reason=f"{count} operations are of an anchor that is not known"
            )
        elif count > anchored[name] and name not in unread:
            more = count - anchored[name]
            yield Finding(
                kind="unanchored", about=name, reason=f"{more} operations of it are not in its batch"
            )
