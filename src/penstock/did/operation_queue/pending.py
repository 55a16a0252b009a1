"""What waits in an instance's memory for its batch: short entries, in order, in two lanes. Pure.

Operations that a failed batch was blamed on wait apart from the others, and no batch mixes them: one bad
operation does not take ten thousand good ones along again and again (orb#1586). A lane is a dict: it keeps
the order, forgets from anywhere, and knows what is in it already.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.sidetree.batches.weighing import weights_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from penstock.did.operation_queue.operation import Posted

__all__ = ["Entry", "Lane", "Pending", "entry_of"]


class Entry(NamedTuple):
    """What must be known of an operation to decide about batches; the rest is in the database."""

    id: str
    suffix: str
    type: str
    #: The protocol's genesis time.
    version: int
    #: About how many bytes it adds to each file.
    weights: tuple[int, ...]
    has_error: bool
    #: When this instance took it, in seconds since the epoch.
    added_at: float
    #: Who knows the latest anchor of its DID.
    anchor_origin: Any = None
    #: The number of its row; 0 if that is not known.
    sequence: int = 0


def entry_of(posted: Posted, now: float, sequence: int = 0) -> Entry:
    """The entry of an operation that was taken now."""
    operation = posted.operation
    return Entry(
        posted.id,
        operation.unique_suffix,
        operation.type,
        operation.protocol_version,
        weights_in(operation.type, operation.operation_request),
        posted.has_error,
        now,
        operation.anchor_origin,
        sequence,
    )


class Pending:
    """Two lanes of entries."""

    __slots__ = ("_lanes", "_versions", "held", "weight")

    def __init__(self) -> None:
        #: The suffixes of DIDs whose operations keep their places, but are in no batch for now.
        self.held: set[str] = set()
        #: What all of them add to files together.
        self.weight = 0
        self._versions = Counter[int]()
        #: By whether they were blamed before.
        self._lanes: dict[bool, dict[str, Entry]] = {False: {}, True: {}}

    def __len__(self) -> int:
        return sum(map(len, self._lanes.values()))

    def __contains__(self, operation_id: str) -> bool:
        return any(operation_id in lane for lane in self._lanes.values())

    def __repr__(self) -> str:
        return f"<Pending {len(self._lanes[False])}, and {len(self._lanes[True])} that were blamed before>"

    def add(self, entries: Iterable[Entry]) -> None:
        """They wait, behind those that do; who waits already keeps its place."""
        added = []
        for entry in entries:
            if entry.id not in self:
                self._lanes[entry.has_error][entry.id] = entry
                added.append(entry)
        self._count(added, 1)

    def put_back(self, entries: Iterable[Entry]) -> None:
        """They wait again, before all others: what came later of the same DID must stay behind them."""
        first: dict[bool, dict[str, Entry]] = {False: {}, True: {}}
        for entry in entries:
            first[entry.has_error][entry.id] = entry
        self._count([each for lane in first.values() for each in lane.values() if each.id not in self], 1)
        self._lanes = {kind: {**first[kind], **lane} for kind, lane in self._lanes.items()}

    def remove(self, ids: Iterable[str]) -> None:
        """They wait no longer."""
        these = list(ids)
        for lane in self._lanes.values():
            self._count([lane.pop(each) for each in these if each in lane], -1)

    @property
    def is_mixed(self) -> bool:
        """Whether operations of several protocol versions wait."""
        return len(self._versions) > 1

    def _count(self, entries: Sequence[Entry], sign: int) -> None:
        """They come, or with -1 they go: all at once, as ten thousand do with a cut."""
        self.weight += sign * sum(sum(each.weights) for each in entries)
        for version, count in Counter(each.version for each in entries).items():
            self._versions[version] += sign * count
            if not self._versions[version]:
                del self._versions[version]

    def lanes(self) -> list[Lane]:
        """The lanes that are not empty but for those that are held, that with the oldest head first."""
        lanes = [
            Lane(head, entries, self.held)
            for entries in self._lanes.values()
            if (head := next(_free(entries, self.held), None)) is not None
        ]
        return sorted(lanes, key=lambda lane: lane.head.added_at)


@dataclass(frozen=True, slots=True)
class Lane:
    """The entries of a lane that are not held, in order; true until something is added or removed.

    Nothing is copied: a million may wait, and a batch has ten thousand.
    """

    #: The first of them.
    head: Entry
    entries: Mapping[str, Entry]
    held: Collection[str]

    def __iter__(self) -> Iterator[Entry]:
        return _free(self.entries, self.held)


def _free(entries: Mapping[str, Entry], held: Collection[str]) -> Iterator[Entry]:
    every = entries.values()
    return (each for each in every if each.suffix not in held) if held else iter(every)
