"""Which operations go together. Sees suffixes and weights only, so it can see a whole queue at once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import Struct

from penstock.sidetree.batches.weighing import limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.sidetree.batches.judging import Candidate
    from penstock.sidetree.protocol import Protocol, Protocols

__all__ = ["Plan", "planned"]


class Plan(Struct, frozen=True, gc=False):
    """A batch to be."""

    #: 0 for first operations of their DIDs, 1 for second ones: a round is anchored after the one before.
    round: int
    protocol_version: int
    candidates: tuple[Candidate, ...]


def planned(candidates: Iterable[Candidate], protocols: Protocols) -> list[Plan]:
    """The batches, round by round, and inside a round in the order of the queue.

    The order in which candidates are given does not matter, their sequence does.
    """
    return [
        Plan(number, run[0].protocol_version, tuple(run))
        for number, candidates_of_round in enumerate(rounds(candidates))
        for run in runs(candidates_of_round, protocols)
    ]


def rounds(candidates: Iterable[Candidate]) -> list[list[Candidate]]:
    """The k-th operation of each DID in round k: a batch has one operation of a DID at most."""
    ordered = sorted(candidates, key=lambda candidate: candidate.sequence)
    if len({candidate.suffix for candidate in ordered}) == len(ordered):
        # So it nearly always is: whoever cuts batches takes one of each DID.
        return [ordered] if ordered else []
    seen = Counter[str]()
    found: list[list[Candidate]] = []
    for candidate in ordered:
        number = seen[candidate.suffix]
        seen[candidate.suffix] += 1
        if number == len(found):
            found.append([])
        found[number].append(candidate)
    return found


def runs(candidates: Sequence[Candidate], protocols: Protocols) -> list[list[Candidate]]:
    """Cut where the version of the protocol changes, or a limit would be passed."""
    if go_together(candidates, protocols):
        return [list(candidates)]
    found: list[Run] = []
    for candidate in candidates:
        if not found or not found[-1].takes(candidate):
            found.append(Run(candidate, protocols.of(candidate.protocol_version)))
    return [run.candidates for run in found]


def go_together(candidates: Sequence[Candidate], protocols: Protocols) -> bool:
    """Whether all of them do, as nearly always: one look at all; to see how many do takes one at each."""
    if len({candidate.protocol_version for candidate in candidates}) != 1:
        return False
    protocol = protocols.of(candidates[0].protocol_version)
    sums = map(sum, zip(*(candidate.weights for candidate in candidates), strict=True))
    return len(candidates) <= protocol.max_operation_count and min(minus(limits(protocol), list(sums))) >= 0


class Run:
    """Candidates that go together, and what is left of each limit."""

    def __init__(self, first: Candidate, protocol: Protocol) -> None:
        self.candidates = [first]
        self._most = protocol.max_operation_count
        self._left = minus(limits(protocol), first.weights)

    def takes(self, candidate: Candidate) -> bool:
        """Whether this one goes with the others; then it does."""
        left = minus(self._left, candidate.weights)
        if (
            candidate.protocol_version != self.candidates[0].protocol_version
            or len(self.candidates) == self._most
            or min(left) < 0
        ):
            return False
        self.candidates.append(candidate)
        self._left = left
        return True


def minus(left: Sequence[int], weights: Sequence[int]) -> list[int]:
    return [room - weight for room, weight in zip(left, weights, strict=True)]
