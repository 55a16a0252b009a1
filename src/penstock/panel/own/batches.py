"""DID batches: how far each is, what became of its operations, what is anchored, and what DIDs resolve to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.panel.replies import ApiFault, json_reply

if TYPE_CHECKING:
    from penstock.panel.own.did_port import Batches
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["anchors", "did", "find", "listed", "waiting"]

#: Shown, if nobody says how many; and the most. Each operation that is shown is resolved.
SHOWN: Final = 100
MOST: Final = 1000
#: The largest number that a database counts to.
LAST: Final = 2**63 - 1


async def listed(visit: Visit) -> Reply:
    """The newest batches, first."""
    return json_reply(list(await _source(visit).listed(visit.number("limit", SHOWN, most=MOST))))


async def find(visit: Visit, number: str) -> Reply:
    """One batch, and what became of its operations."""
    start, limit = visit.number("start", 0, most=LAST), visit.number("limit", SHOWN, most=MOST)
    is_number = number.isascii() and number.isdecimal() and len(number) < len(str(LAST))
    found = await _source(visit).find(int(number), start=start, limit=limit) if is_number else None
    if found is None:
        raise ApiFault(404, f"there is no batch {number[:40]!r}: it was never cut, or is forgotten by now")
    return json_reply(found)


async def waiting(visit: Visit) -> Reply:
    """Operations that are in no batch yet."""
    return json_reply(await _source(visit).waiting())


async def anchors(visit: Visit) -> Reply:
    """The newest anchors, first."""
    return json_reply(list(await _source(visit).anchors(visit.number("limit", SHOWN, most=MOST))))


async def did(visit: Visit, suffix: str) -> Reply:
    """A DID, and what has made it so."""
    found = await _source(visit).did(suffix)
    if found is None:
        raise ApiFault(404, f"no anchor that was observed here has an operation of {suffix[:80]!r}")
    return json_reply(found)


def _source(visit: Visit) -> Batches:
    source: Batches = visit.panel.resources.demand("batches")
    return source
