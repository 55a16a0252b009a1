"""Which operations of a cut go into its batch, with its files: pure, and the same wherever it is done.

One bad operation costs itself and no other, whatever it does to Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.pipelines.did.writing.outcome import LONGEST
from penstock.sidetree.batches import Candidate, Queued, built, judge, judge_again, planned, trusted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from penstock.did.operation_queue import Posted
    from penstock.did.operation_queue.seal import Seal
    from penstock.sidetree.batches import Batch, Judged
    from penstock.sidetree.protocol import Protocols

__all__ = ["Choice", "choose"]


class Choice(NamedTuple):
    """A batch, if there is one, and the operations that are not in it."""

    batch: Batch | None
    #: In order.
    deferred: list[str]
    refused: dict[str, str]


def choose(
    cut: Sequence[Posted],
    protocols: Protocols,
    now: int,
    address: Callable[[bytes], str],
    *,
    unanchored: Collection[str] = (),
    origins: Collection[str] | None = None,
    seal: Seal | None = None,
) -> Choice:
    """The batch of a cut, of which as much is taken as one batch can have; all that is in it was verified.

    Args:
        cut: Its operations, in order.
        protocols: By which they are judged.
        now: Seconds since the epoch.
        address: What a storage calls a file.
        unanchored: DIDs that have no anchor yet; what changes them waits.
        origins: The anchor origins that this domain takes, "*" for all.
        seal: By which is known what was checked when it was taken in; all else is checked here.
    """
    refused: dict[str, str] = {}
    ready: list[Candidate] = []
    for number, each in enumerate(cut):
        found = _judged(number, each, protocols, now, origins, seal)
        if isinstance(found, Candidate):
            ready.append(found)
        else:
            refused[each.id] = found
    waiting = {each.sequence for each in ready if each.type != "create" and each.suffix in unanchored}
    batch = None
    while batch is None and (left := [each for each in ready if each.sequence not in waiting]):
        batch = built(planned(left, protocols)[0], protocols, address)[0]
        if not batch.files.fit(protocols.of(batch.plan.protocol_version)):
            # It is the only one of this batch: nothing more can be taken away.
            [alone] = batch.plan.candidates
            refused[cut[alone.sequence].id] = "alone it makes files that are larger than any reader takes"
            ready.remove(alone)
            batch = None
    return Choice(batch, _without(cut, refused, batch.plan.candidates if batch else ()), refused)


def _judged(
    number: int,
    posted: Posted,
    protocols: Protocols,
    now: int,
    origins: Collection[str] | None,
    seal: Seal | None,
) -> Candidate | str:
    """The candidate that an operation is, or why it is none."""
    operation = posted.operation
    queued = Queued(number, operation.operation_request, operation.protocol_version)
    try:
        checked = seal.known(operation) if seal else None
        if checked is None:
            return _same_did(judge(queued, protocols, now, origins=origins), posted)
        protocols.of(operation.protocol_version)
        return _found(judge_again(trusted(queued, operation.unique_suffix, checked.closes), now))
    except Exception as exc:  # noqa: BLE001 (whatever it is, it is this operation's alone)
        return f"{type(exc).__name__}: {exc}"[:LONGEST]


def _found(judged: Judged) -> Candidate | str:
    return judged.candidate or judged.reason


def _same_did(judged: Judged, posted: Posted) -> Candidate | str:
    """It waits as an operation of one DID, and must be that."""
    found, told = judged.candidate, posted.operation
    if found is None or (found.suffix, found.type) == (told.unique_suffix, told.type):
        return _found(judged)
    reason = f"it is said to be {told.type} of {told.unique_suffix}, and is {found.type} of {found.suffix}"
    return reason[:LONGEST]


def _without(cut: Sequence[Posted], refused: Collection[str], taken: Sequence[Candidate]) -> list[str]:
    if len(taken) == len(cut):
        return []
    out = {cut[each.sequence].id for each in taken}.union(refused)
    return [each.id for each in cut if each.id not in out]
