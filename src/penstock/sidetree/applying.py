"""What one operation does to a DID: the rules of advance.

An operation counts, or it does not and an error says why. If it counts, its commitments advance, even where
its delta is of no use: else whoever can have a bad delta anchored could stop a DID for good, and so could its
owner by mistake.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from penstock.errors import InvalidOperation, SidetreeError
from penstock.sidetree.delta import check_delta_of, composed
from penstock.sidetree.ingestion import check_new, check_reveal, check_suffix
from penstock.sidetree.jws import verify
from penstock.sidetree.operations import Create, Deactivate, Operation, Recover, Update
from penstock.sidetree.state import Note, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.sidetree.anchored import Anchored
    from penstock.sidetree.patches.action import Document
    from penstock.sidetree.protocol import Protocol

__all__ = ["applied", "created"]


def created(operation: Create, anchored: Anchored, protocol: Protocol) -> State:
    """The DID that a create begins."""
    if operation.suffix != anchored.suffix:
        raise InvalidOperation("the suffix data are another DID's")
    update_commitment, document, reason = begun(
        operation.delta, operation.suffix_data["deltaHash"], protocol, in_time=True
    )
    return State(
        suffix=operation.suffix,
        document=document,
        recovery_commitment=operation.suffix_data["recoveryCommitment"],
        update_commitment=update_commitment,
        created=anchored.time,
        version=anchored.reference,
        reference=anchored.reference,
        equivalents=anchored.equivalents,
        anchor_origin=operation.anchor_origin,
        notes=noted(anchored, reason),
    )


def applied(state: State, operation: Operation, anchored: Anchored, protocol: Protocol) -> State:
    """The DID after an operation that redeems its commitment.

    Raises:
        SidetreeError: it does not count, with the reason.
    """
    if isinstance(operation, Create):
        raise InvalidOperation("a DID is created once")
    if operation.suffix != anchored.suffix:
        raise InvalidOperation("the operation is another DID's")
    check_reveal(operation.reveal_value, operation.signed)
    return RULES[type(operation)](state, operation, anchored, protocol)


def recovered(state: State, operation: Recover, anchored: Anchored, protocol: Protocol) -> State:
    said = operation.signed.said
    check_new(said["recoveryCommitment"], operation.reveal_value)
    check_signature(operation, anchored)
    in_time = operation.signed.window.holds(anchored.time)
    update_commitment, document, reason = begun(operation.delta, said["deltaHash"], protocol, in_time=in_time)
    return replace(
        state,
        document=document,
        recovery_commitment=said["recoveryCommitment"],
        update_commitment=update_commitment,
        updated=anchored.time,
        version=anchored.reference,
        # Until it is anchored, the DID has the name that it had.
        reference=anchored.reference or state.reference,
        equivalents=anchored.equivalents if anchored.published else state.equivalents,
        anchor_origin=operation.anchor_origin,
        notes=state.notes + noted(anchored, reason),
    )


def deactivated(state: State, operation: Deactivate, anchored: Anchored, protocol: Protocol) -> State:
    check_suffix(operation.suffix, operation.signed)
    check_signature(operation, anchored)
    if not operation.signed.window.holds(anchored.time):
        raise InvalidOperation("it was not anchored in its time")
    return replace(
        state,
        document={},
        recovery_commitment=None,
        update_commitment=None,
        deactivated=True,
        updated=anchored.time,
        version=anchored.reference,
    )


def updated(state: State, operation: Update, anchored: Anchored, protocol: Protocol) -> State:
    check_delta_of(operation.signed.said["deltaHash"], operation.delta, protocol)
    check_signature(operation, anchored)
    document, reason = state.document, "it was not anchored in its time"
    if operation.signed.window.holds(anchored.time):
        document, reason = changed(state.document, operation.delta)
    return replace(
        state,
        document=document,
        update_commitment=operation.delta["updateCommitment"],
        updated=anchored.time,
        version=anchored.reference,
        notes=state.notes + noted(anchored, reason),
    )


RULES: Final[dict[type[Operation], Callable[[State, Any, Anchored, Protocol], State]]] = {
    Recover: recovered,
    Deactivate: deactivated,
    Update: updated,
}


def check_signature(operation: Update | Recover | Deactivate, anchored: Anchored) -> None:
    if not anchored.verified:
        verify(operation.signed.jws, operation.signed.key)


def begun(
    delta: Any, delta_hash: str, protocol: Protocol, *, in_time: bool
) -> tuple[str | None, Document, str]:
    """A new document: the commitment to its next update, the document, and what is wrong if it is empty.

    Without a delta that holds there is no next update, only a recovery.
    """
    try:
        check_delta_of(delta_hash, delta, protocol)
    except SidetreeError as exc:
        return None, {}, str(exc)
    commitment = delta["updateCommitment"]
    if not in_time:
        return commitment, {}, "it was not anchored in its time"
    return commitment, *changed({}, delta)


def changed(document: Document, delta: dict[str, Any]) -> tuple[Document, str]:
    """The document after the delta, or as it was, and why."""
    try:
        return composed(document, delta), ""
    except SidetreeError as exc:
        return document, str(exc)


def noted(anchored: Anchored, reason: str) -> tuple[Note, ...]:
    return (Note(anchored.type, anchored.reference, reason),) if reason else ()
