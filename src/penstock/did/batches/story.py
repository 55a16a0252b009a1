"""The story of a DID, for those who look: what it resolves to, and which operations have made it so.

A function of a connection. What counts here is anchored and was observed: it is what every domain that has
observed the same would answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import select

from penstock.did.among import among
from penstock.did.batches.judged import judged, why_idle
from penstock.did.operation_queue.tables import cuts
from penstock.did.operations.history import operations_of
from penstock.sidetree.anchored import in_order
from penstock.sidetree.did import read_did
from penstock.sidetree.methods import ORB_METHOD
from penstock.sidetree.results import resolution_result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy.engine import Connection

    from penstock.did.batches.judged import Judged

__all__ = ["Step", "Story", "maybe_story"]

#: The most operations that are told of; each is judged by itself.
STEPS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One operation of a DID."""

    type: str
    #: When it was anchored, and the hash of that linkset.
    at: int
    reference: str
    #: The batch that it came in, if it was one of this domain's and is still known.
    batch: int | None
    #: Why it changes nothing; empty if it counts.
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One DID."""

    suffix: str
    #: In its canonical form; None if it does not resolve.
    did: str | None
    #: Why it does not.
    reason: str
    is_deactivated: bool
    #: What is answered to who asks for it: its document, and what is to be said about that.
    result: Mapping[str, Any] | None
    #: The last of them, in the order in which they count.
    steps: Sequence[Step]


def maybe_story(connection: Connection, suffix: str) -> Story | None:
    """That of one DID; None if nothing is known of it."""
    operations = operations_of(connection, suffix)
    if not operations:
        return None
    found = judged(suffix, operations)
    last = in_order(operations)[-STEPS:]
    batches = _batches(connection, {each.reference for each in last})
    return Story(
        suffix=suffix,
        did=found.did,
        reason=found.reason,
        is_deactivated=found.state is not None and found.state.deactivated,
        result=_result(found),
        steps=[
            Step(
                type=each.type,
                at=each.time,
                reference=each.reference,
                batch=batches.get(each.reference),
                reason=why_idle(found, suffix, operations, each.reference),
            )
            for each in last
        ],
    )


def _batches(connection: Connection, linksets: Iterable[str]) -> dict[str, int]:
    known = select(cuts.c.linkset, cuts.c.id).where(among(connection, cuts.c.linkset, linksets))
    return {row.linkset: row.id for row in connection.execute(known)}


def _result(found: Judged) -> Mapping[str, Any] | None:
    if found.state is None or found.did is None:
        return None
    return resolution_result(read_did(found.did, ORB_METHOD), found.state, ORB_METHOD)
