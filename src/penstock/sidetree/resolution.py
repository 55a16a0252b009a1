"""From a DID's operations to its state (Sidetree, "Resolution"; the facts of Orb where that is silent).

    state = resolve(suffix, operations, protocols)

The create begins it. Then the chain of recovers and a deactivate, each redeeming the recovery commitment of
the one before; then the chain of updates since the last of these. Of several that redeem the same commitment,
the first that counts does: who was anchored first wins, whenever the others come to light.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from penstock.errors import SidetreeError, UnknownDid, UnknownVersion
from penstock.sidetree.anchored import Anchored, in_order
from penstock.sidetree.applying import applied, created
from penstock.sidetree.multihash import commitment_of
from penstock.sidetree.operations import Create, Operation, Update, read_operation
from penstock.sidetree.state import Note, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.sidetree.protocol import Protocol, Protocols

__all__ = ["resolve"]

#: Before all operations.
BEGINNING: Final = -1


class Entry(NamedTuple):
    """An operation that could be read, and its place in the order."""

    position: int
    anchored: Anchored
    operation: Operation
    protocol: Protocol


def resolve(
    suffix: str,
    operations: Iterable[Anchored],
    protocols: Protocols,
    *,
    version: str | None = None,
    until: int | None = None,
) -> State:
    """The state of a DID, now or at an earlier version or time.

    Args:
        version: the reference of the operation that made the version.
        until: the last moment that counts, in the anchors' time.

    Raises:
        UnknownDid: none of the operations creates it.
        UnknownVersion: it was never in that version, or did not exist at that time.
    """
    ordered = cut(in_order(operations), version, until)
    entries, notes = readable(ordered, protocols)
    state, position, unused = first_create(suffix, entries)
    state = replace(state, operations=tuple(ordered), notes=notes + unused + state.notes)
    state, position = recoveries(state, entries, position)
    if not state.deactivated:
        state = updates(state, entries, position)
    if version is not None and state.version != version:
        raise UnknownVersion(f"the operation anchored in {version!r} did not make a version of this DID")
    return state


def cut(ordered: Sequence[Anchored], version: str | None, until: int | None) -> list[Anchored]:
    """Those that were there at that version or time."""
    kept = list(ordered)
    if version is not None:
        places = [place for place, operation in enumerate(kept) if operation.reference == version]
        if not places:
            raise UnknownVersion(f"no operation of this DID is anchored in {version!r}")
        kept = kept[: places[-1] + 1]
    if until is not None:
        kept = [operation for operation in kept if operation.time <= until]
        if ordered and not kept:
            raise UnknownVersion(f"no operation of this DID is as old as {until}")
    return kept


def readable(ordered: Sequence[Anchored], protocols: Protocols) -> tuple[list[Entry], tuple[Note, ...]]:
    """All that can be read, each by its own version of the protocol."""
    entries, notes = [], []
    for position, anchored in enumerate(ordered):
        try:
            protocol = protocols.of(anchored.protocol_version)
            entries.append(Entry(position, anchored, read_operation(anchored.request, protocol), protocol))
        except SidetreeError as exc:
            notes.append(note(anchored, exc))
    return entries, tuple(notes)


def first_create(suffix: str, entries: Sequence[Entry]) -> tuple[State, int, tuple[Note, ...]]:
    """The DID as the first create that counts begins it, its place, and why those before it do not.

    One that is not anchored has none: it may be known from a long form only, and so look later than it is.
    """
    notes = []
    for entry in entries:
        if isinstance(entry.operation, Create):
            try:
                state = created(entry.operation, entry.anchored, entry.protocol)
            except SidetreeError as exc:
                notes.append(note(entry.anchored, exc))
                continue
            return state, entry.position if state.published else BEGINNING, tuple(notes)
    raise UnknownDid(f"no operation known here creates the DID {suffix!r}")


def recoveries(state: State, entries: Sequence[Entry], since: int) -> tuple[State, int]:
    """The DID after its recovers and a deactivate, wherever they stand, and the place of the last of them."""
    full = [entry for entry in entries if not isinstance(entry.operation, Create | Update)]
    return chain(state, full, since, lambda reached: reached.recovery_commitment)


def updates(state: State, entries: Sequence[Entry], since: int) -> State:
    """The DID after its updates since it was created or recovered; or after any, where none must follow."""
    later = [
        entry
        for entry in entries
        if isinstance(entry.operation, Update)
        and (entry.position > since or not entry.protocol.updates_follow_recovers)
    ]
    return chain(state, later, since, lambda reached: reached.update_commitment)[0]


def chain(
    state: State, entries: Sequence[Entry], position: int, commitment: Callable[[State], str | None]
) -> tuple[State, int]:
    """Follow a commitment from operation to operation, until nobody redeems it."""
    redeemers = by_commitment(entries)
    used: set[str] = set()
    while (current := commitment(state)) is not None and current in redeemers:
        used.add(current)
        for entry in redeemers[current]:
            try:
                reached = applied(state, entry.operation, entry.anchored, entry.protocol)
            except SidetreeError as exc:
                state = replace(state, notes=(*state.notes, note(entry.anchored, exc)))
                continue
            # A commitment that was redeemed before would lead in a circle.
            if commitment(reached) not in used:
                state, position = reached, entry.position
                break
            state = replace(state, notes=(*state.notes, reused(entry.anchored)))
        else:
            break
    return state, position


def by_commitment(entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    found = defaultdict[str, list[Entry]](list)
    for entry in entries:
        if not isinstance(entry.operation, Create):
            found[commitment_of(entry.operation.reveal_value)].append(entry)
    return found


def note(anchored: Anchored, exc: SidetreeError) -> Note:
    return Note(anchored.type, anchored.reference, str(exc))


def reused(anchored: Anchored) -> Note:
    return Note(anchored.type, anchored.reference, "its next commitment was redeemed before")
