"""The cutter: when a batch is to be cut, and of which operations. Pure.

A batch is cut when it is full, when the next operation is of another protocol version, or when the oldest
has waited long enough; never a free-running ticker, under which an operation waits anything from nothing to
the timeout. A batch has one operation of a DID: the second waits for the next round, in its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import islice
from math import inf
from typing import TYPE_CHECKING

from penstock.sidetree.batches.weighing import FILES, limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.did.operation_queue.pending import Entry
    from penstock.sidetree.protocol import Protocols

    #: What each file may weigh, by the protocol's genesis time.
    LimitsOf = Callable[[int], Sequence[float]]

__all__ = ["CutRules", "Plan", "Reason", "due_at", "no_limits", "plan", "rules_by"]


class Reason(Enum):
    """Why a batch is cut."""

    FULL = "it has as many operations as it may"
    SIZE = "its files have no room for the next operation"
    VERSION = "the next operation is of another protocol version"
    TIMEOUT = "its oldest operation has waited long enough"
    FORCED = "it was asked for"


def no_limits(_version: int) -> Sequence[float]:
    """Those of files that may have any size."""
    return (inf,) * len(FILES)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRules:
    """By what a batch is cut."""

    #: The protocol's MAX_OPERATION_COUNT.
    max_operation_count: int = 10_000
    #: batch-writer-timeout, in seconds.
    timeout: float = 60.0
    limits_of: LimitsOf = no_limits
    #: So much must wait, all files together, before one can be full.
    least_weight: float = inf


def rules_by(protocols: Protocols, *, timeout: float) -> CutRules:
    """The rules of a protocol, for files of which each version says how large they may be."""
    current = protocols.current()
    known = {each.genesis_time: limits(each) for each in protocols.versions}
    # One of a version that nobody knows is refused when its files are to be written.
    usual = limits(current)
    return CutRules(
        max_operation_count=current.max_operation_count,
        timeout=timeout,
        limits_of=lambda version: known.get(version, usual),
        least_weight=min(map(min, known.values())),
    )


@dataclass(frozen=True, slots=True)
class Plan:
    """A batch that is to be cut."""

    entries: tuple[Entry, ...]
    reason: Reason


def plan(pending: Iterable[Entry], rules: CutRules, now: float, *, force: bool = False) -> Plan | None:
    """The batch that is to be cut now, if any.

    Args:
        pending: What waits, in order; it is gone through twice, and no further than needs be.
        rules: By what it is cut.
        now: Seconds since the epoch.
        force: Whether to cut whatever there is.
    """
    taken, full = _round(pending, rules)
    if not taken:
        return None
    if full is not None:
        return Plan(tuple(taken), full)
    if now >= due_at(taken[0], rules):
        return Plan(tuple(taken), Reason.TIMEOUT)
    return Plan(tuple(taken), Reason.FORCED) if force else None


def due_at(oldest: Entry, rules: CutRules) -> float:
    """When the batch with this operation is to be cut at the latest."""
    return oldest.added_at + rules.timeout


def _round(pending: Iterable[Entry], rules: CutRules) -> tuple[Sequence[Entry], Reason | None]:
    """The next batch as far as it is there, and why it can take no more; None if it can."""
    first = tuple(islice(pending, rules.max_operation_count))
    if len(first) == rules.max_operation_count and _go_together(first, rules):
        return first, Reason.FULL
    taken: list[Entry] = []
    suffixes: set[str] = set()
    left: Sequence[float] = ()
    for entry in pending:
        if taken and entry.version != taken[0].version:
            return taken, Reason.VERSION
        if entry.suffix in suffixes:
            continue
        left = _minus(left or rules.limits_of(entry.version), entry.weights)
        fits = min(left) >= 0
        if not fits and taken:
            return taken, Reason.SIZE
        suffixes.add(entry.suffix)
        taken.append(entry)
        if not fits:
            # It fits no file at all: in a batch of its own that is found out, and harms no other.
            return taken, Reason.SIZE
        if len(taken) >= rules.max_operation_count:
            return taken, Reason.FULL
    return taken, None


def _go_together(entries: Sequence[Entry], rules: CutRules) -> bool:
    """Whether all of them do, as nearly always: seen at one look, in a fifth of the time of one for each."""
    if len({each.suffix for each in entries}) < len(entries) or len({each.version for each in entries}) > 1:
        return False
    sums = [sum(weights) for weights in zip(*(each.weights for each in entries), strict=True)]
    return min(_minus(rules.limits_of(entries[0].version), sums)) >= 0


def _minus(left: Iterable[float], weights: Iterable[int]) -> list[float]:
    return [room - weight for room, weight in zip(left, weights, strict=True)]
