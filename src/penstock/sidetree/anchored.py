"""An operation with its place in history, and the order of all of a DID's."""

from __future__ import annotations

from collections import Counter, defaultdict
from heapq import heappop, heappush
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from penstock.sidetree.operations import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Anchored", "in_order"]

RANK: Final = {type_: rank for rank, type_ in enumerate(("create", "recover", "deactivate", "update"))}
UNKNOWN: Final = len(TYPES)


class Anchored(Struct, frozen=True, kw_only=True, gc=False):
    """An operation as a domain keeps it: the request, and where and when it was anchored.

    One without a reference is not published: it was taken in here and is in no batch yet.
    """

    type: str
    suffix: str
    request: bytes
    #: When it was anchored, in the anchoring system's own time; for one that is not, when it was taken in.
    time: int
    #: Which of the transactions of that time; in Orb always 0.
    number: int = 0
    #: The genesis time of the protocol that it was made by.
    protocol_version: int = 0
    #: The anchor's hash.
    reference: str = ""
    #: Other ways to the same anchor: a hashlink with places, a domain that has it.
    equivalents: tuple[str, ...] = ()
    #: The reference of the DID's anchor before, as the batch tells it.
    previous: str = ""
    #: Who was said to know the DID's latest anchor, by a create or recover.
    anchor_origin: Any = None
    #: Whether the signature has been verified here before, so that it need not be once more.
    verified: bool = False

    @property
    def published(self) -> bool:
        """Whether it is in an anchored batch."""
        return bool(self.reference)


def in_order(operations: Iterable[Anchored]) -> list[Anchored]:
    """The one order that every node sees: published by time and number, then those that are not.

    Orb's anchors have a resolution of seconds and no number, so that an update may seem to be of the same
    moment as its create. Then the anchors tell by naming the one before; what they leave open is decided by
    type (nothing comes before what it needs) and by reference.
    """
    ordered = sorted(operations, key=place)
    found: list[Anchored] = []
    for _, together in groupby(ordered, key=moment):
        found += chained(list(together))
    return found


def moment(operation: Anchored) -> tuple[bool, int, int]:
    return not operation.published, operation.time, operation.number


def place(operation: Anchored) -> tuple[object, ...]:
    rank = RANK.get(operation.type, UNKNOWN)
    return *moment(operation), rank, operation.reference, operation.request, operation.previous


def chained(together: list[Anchored]) -> list[Anchored]:
    """Those of one moment, each behind the one whose anchor it names.

    Whoever anchors may say that thousands of a DID's are of one second, so none is looked at twice.
    """
    if len(together) == 1:
        return together
    awaited = Counter(operation.reference for operation in together if operation.reference)
    behind = defaultdict[str, list[int]](list)
    # By their places, and a list in order is a heap.
    ready, waiting, found = list[int](), dict(enumerate(together)), list[Anchored]()
    for at, operation in waiting.items():
        # An anchor that names itself waits for nobody.
        waits = operation.previous in awaited and operation.previous != operation.reference
        (behind[operation.previous] if waits else ready).append(at)
    while waiting:
        # Of a ring of them the first waits for nobody, either, and is named once more.
        at = heappop(ready) if ready else next(iter(waiting))
        if at not in waiting:
            continue
        operation = waiting.pop(at)
        found.append(operation)
        awaited[operation.reference] -= 1
        for freed in behind.pop(operation.reference, ()) if not awaited[operation.reference] else ():
            heappush(ready, freed)
    return found
