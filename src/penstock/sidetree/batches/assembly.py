"""Batches with their files, and what became of each operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from penstock.sidetree.batches.judging import Judged, Queued, judge
from penstock.sidetree.batches.planning import Plan, planned
from penstock.sidetree.files.building import BatchFiles, build

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from penstock.sidetree.protocol import Protocols

__all__ = ["Assembly", "Batch", "assemble", "assembled", "built"]


class Batch(Struct, frozen=True, gc=False):
    """What is written, anchored and then done with."""

    plan: Plan
    files: BatchFiles


class Assembly(Struct, frozen=True, gc=False):
    """All batches in the order in which they may be anchored, and one outcome for each operation."""

    batches: tuple[Batch, ...]
    outcomes: tuple[Judged, ...]


def assemble(
    queued: Iterable[Queued],
    protocols: Protocols,
    now: int,
    address: Callable[[bytes], str],
    *,
    origins: Collection[str] | None = None,
) -> Assembly:
    """Everything at once, for queues that one process can do."""
    judged = (judge(operation, protocols, now, origins=origins) for operation in queued)
    return assembled(judged, protocols, address)


def assembled(judged: Iterable[Judged], protocols: Protocols, address: Callable[[bytes], str]) -> Assembly:
    """The same of operations that were judged elsewhere, or before."""
    outcomes = tuple(judged)
    plans = planned((found.candidate for found in outcomes if found.candidate), protocols)
    return Assembly(tuple(batch for plan in plans for batch in built(plan, protocols, address)), outcomes)


def built(plan: Plan, protocols: Protocols, address: Callable[[bytes], str]) -> list[Batch]:
    """The batch as planned; or several, if its files turn out larger than any reader will take."""
    protocol = protocols.of(plan.protocol_version)
    parts = [candidate.part for candidate in plan.candidates]
    files = build(parts, address, protocol)
    if files.fit(protocol) or len(plan.candidates) == 1:
        return [Batch(plan, files)]
    half = len(plan.candidates) // 2
    return [
        batch
        for candidates in (plan.candidates[:half], plan.candidates[half:])
        for batch in built(replace(plan, candidates=candidates), protocols, address)
    ]
