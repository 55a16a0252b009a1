"""Each queued operation by itself: whether it can go into a batch, and what it would weigh there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.errors import UnknownVersion
from penstock.sidetree.batches.glancing import glance
from penstock.sidetree.batches.weighing import weights_of
from penstock.sidetree.files.parts import Part, part_of, part_of_request, request_of_part
from penstock.sidetree.operations import Create
from penstock.sidetree.outcomes import Status, judged
from penstock.sidetree.signed_data import expired

if TYPE_CHECKING:
    from collections.abc import Collection

    from penstock.sidetree.operations import Operation
    from penstock.sidetree.protocol import Protocols

__all__ = ["Candidate", "Judged", "Queued", "judge", "judge_again", "trusted"]


class Queued(Struct, frozen=True, gc=False):
    """An operation as it waits: where it stands in the queue, and which protocol it was taken in by."""

    sequence: int
    request: bytes
    protocol_version: int = 0


class Candidate(Struct, frozen=True, gc=False):
    """An operation that can go into a batch."""

    sequence: int
    type: str
    suffix: str
    protocol_version: int
    #: What the files will say of it.
    part: Part
    #: About how many bytes it adds to each file.
    weights: tuple[int, ...]
    #: From this second on it has expired.
    closes: int | None = None

    @property
    def request(self) -> bytes:
        """The request in canonical form."""
        return request_of_part(self.part)


class Judged(Struct, frozen=True, gc=False):
    """One outcome for each queued operation."""

    sequence: int
    status: Status
    reason: str = ""
    #: The error's name.
    kind: str = ""
    candidate: Candidate | None = None


def judge(
    queued: Queued, protocols: Protocols, now: int, *, origins: Collection[str] | None = None
) -> Judged:
    """What becomes of a queued operation. Nothing is raised: it concerns this operation alone."""
    try:
        protocol = protocols.of(queued.protocol_version)
    except UnknownVersion as exc:
        return Judged(queued.sequence, Status.INVALID, str(exc), type(exc).__name__)
    seen = glance(queued.request, protocol, now, origins=origins)
    if seen is not None:
        return Judged(queued.sequence, Status.OK, candidate=_candidate(queued, *seen))
    outcome = judged(queued.request, protocol, now, origins=origins)
    return Judged(
        queued.sequence,
        outcome.status,
        outcome.reason,
        outcome.kind,
        _plainly(queued, outcome.operation, outcome.delta) if outcome.operation else None,
    )


def judge_again(candidate: Candidate, now: int) -> Judged:
    """What has become of an operation since it was judged: nothing but time can have changed it.

    A domain that judges what it takes in, and keeps the candidate, need not read or verify it again.
    """
    if candidate.closes is not None and candidate.closes <= now:
        late = expired(candidate.closes, now)
        return Judged(candidate.sequence, Status.EXPIRED, str(late), type(late).__name__)
    return Judged(candidate.sequence, Status.OK, candidate=candidate)


def trusted(queued: Queued, suffix: str, closes: int | None) -> Candidate:
    """The candidate that an operation became when it was judged, made again of what was kept of it.

    Its request must be in the canonical form that `judge` gave it.

    Raises:
        MsgspecError, KeyError: it is no request.
    """
    return _candidate(queued, suffix, part_of_request(queued.request), closes)


def _plainly(queued: Queued, operation: Operation, delta: bytes) -> Candidate:
    closes = None if isinstance(operation, Create) else operation.signed.window.closes
    return _candidate(queued, operation.suffix, part_of(operation, delta), closes)


def _candidate(queued: Queued, suffix: str, part: Part, closes: int | None) -> Candidate:
    return Candidate(
        queued.sequence, part.type, suffix, queued.protocol_version, part, weights_of(part), closes
    )
