"""What an operation must hold to be taken in, and once more before it goes into a batch.

Everything that can be told without the DID's history: shapes, hashes, times, patches, and the signature.
Orb does not verify signatures here, and so carries forged operations all the way into batches. What needs
the history is `check_state`, for those who have it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from penstock.errors import InvalidOperation, UnknownDid
from penstock.sidetree.delta import check_delta_of, composed
from penstock.sidetree.jws import verify
from penstock.sidetree.multihash import commitment_of, reveal
from penstock.sidetree.operations import Create, Deactivate, Operation, Recover, Update, read_operation
from penstock.sidetree.origins import is_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from penstock.sidetree.protocol import Protocol
    from penstock.sidetree.signed_data import SignedData
    from penstock.sidetree.state import State

__all__ = [
    "ANY_ORIGIN",
    "admitted",
    "check_apart",
    "check_new",
    "check_operation",
    "check_origin",
    "check_reveal",
    "check_signature",
    "check_state",
    "check_suffix",
    "ingest",
]

ANY_ORIGIN: Final = frozenset({"*"})


def ingest(
    request: bytes, protocol: Protocol, now: int, *, origins: Collection[str] | None = None
) -> Operation:
    """The operation that a request asks for, if it can be taken in now.

    Args:
        origins: the anchor origins that this domain takes, "*" for all; without, a DID need not name
            one, as in all networks but Orb's.

    Raises:
        OperationExpired, OperationEarly: it is not the time for it.
        SidetreeError: it cannot be taken in at any time.
    """
    return admitted(request, protocol, now, origins)[0]


def admitted(
    request: bytes, protocol: Protocol, now: int, origins: Collection[str] | None
) -> tuple[Operation, bytes]:
    """The same, with the delta in canonical form, which had to be made and is needed again."""
    if len(request) > protocol.max_operation_size:
        raise InvalidOperation(
            f"a request of {len(request)} bytes is over the limit of {protocol.max_operation_size}"
        )
    operation = read_operation(request, protocol)
    if origins is not None and isinstance(operation, Create | Recover):
        check_origin(operation.anchor_origin, origins)
    return operation, check_operation(operation, protocol, now)


def check_operation(operation: Operation, protocol: Protocol, now: int) -> bytes:
    """The delta in canonical form, if the operation holds by itself and now is the time for it."""
    delta = CHECKS[type(operation)](operation, protocol)
    if not isinstance(operation, Create):
        operation.signed.window.check_now(now)
        check_signature(operation.reveal_value, operation.signed)
    return delta


def check_signature(reveal_value: str, signed: SignedData) -> None:
    """Nothing happens if the key is the one that is revealed, and has signed.

    Raises:
        InvalidOperation, BadSignature, BadKey: it is not, or has not, or cannot.
    """
    check_reveal(reveal_value, signed)
    verify(signed.jws, signed.key)


def check_create(operation: Create, protocol: Protocol) -> bytes:
    if operation.suffix_data.get("type") == "":
        raise InvalidOperation("the type of a DID is empty, and Orb's nodes name it as if there were none")
    delta = check_delta_of(operation.suffix_data["deltaHash"], operation.delta, protocol)
    if not protocol.one_key:
        check_apart(operation.delta["updateCommitment"], operation.suffix_data["recoveryCommitment"])
    if not any(composed({}, operation.delta).values()) and not protocol.empty_lists:
        raise InvalidOperation("the patches of a create leave an empty document")
    return delta


def check_update(operation: Update, protocol: Protocol) -> bytes:
    delta = check_delta_of(operation.signed.said["deltaHash"], operation.delta, protocol)
    check_new(operation.delta["updateCommitment"], operation.reveal_value)
    return delta


def check_recover(operation: Recover, protocol: Protocol) -> bytes:
    delta = check_delta_of(operation.signed.said["deltaHash"], operation.delta, protocol)
    next_recovery = operation.signed.said["recoveryCommitment"]
    if not protocol.one_key:
        check_apart(operation.delta["updateCommitment"], next_recovery)
    check_new(next_recovery, operation.reveal_value)
    return delta


def check_deactivate(operation: Deactivate, protocol: Protocol) -> bytes:
    check_suffix(operation.suffix, operation.signed)
    return b""


CHECKS: Final[dict[type[Operation], Callable[[Any, Protocol], bytes]]] = {
    Create: check_create,
    Update: check_update,
    Recover: check_recover,
    Deactivate: check_deactivate,
}


def check_suffix(suffix: str, signed: SignedData) -> None:
    """Nothing happens if it is this DID that its holder wants to end.

    Raises:
        InvalidOperation: it is another.
    """
    if signed.said["didSuffix"] != suffix:
        raise InvalidOperation("the signed didSuffix is another DID's")


def check_apart(update_commitment: str, recovery_commitment: str) -> None:
    """Nothing happens if a key that is used every day cannot be taken for the one that is locked away.

    Raises:
        InvalidOperation: both are promised to one key.
    """
    if update_commitment == recovery_commitment:
        raise InvalidOperation("the next update and the next recovery are promised to the same key")


def check_new(next_commitment: str, reveal_value: str) -> None:
    """Nothing happens if the next operation is promised to another key.

    Raises:
        InvalidOperation: it is promised to the key of this one.
    """
    if next_commitment == commitment_of(reveal_value):
        raise InvalidOperation("the next operation is promised to the key of this one: a key is used once")


def check_reveal(reveal_value: str, signed: SignedData) -> None:
    """Nothing happens if the reveal value is this key's.

    Raises:
        InvalidOperation: it is another's.
    """
    # Orb's nodes write an empty y into a key on Ed25519 that came without one, and hash it then.
    if reveal_value != reveal(signed.key) and reveal_value != reveal({"y": "", **signed.key}):
        raise InvalidOperation("the reveal value is not the hash of the key that signed")


def check_state(operation: Operation, state: State | None) -> None:
    """Nothing happens if there is a DID for this operation, anchored or about to be.

    Whether it redeems the DID's commitment is not asked: an operation before it may still be on its way.

    Raises:
        UnknownDid: nobody has created it.
        InvalidOperation: it is deactivated.
    """
    if isinstance(operation, Create):
        return
    if state is None:
        raise UnknownDid(f"no operation known here creates the DID {operation.suffix!r}")
    if state.deactivated:
        raise InvalidOperation("the DID is deactivated, and that is for ever")


def check_origin(origin: Any, allowed: Collection[str]) -> None:
    """Nothing happens if a DID may have this anchor origin here.

    Raises:
        InvalidOperation: it names none, or one that this domain does not take, or one that cannot be.
    """
    if not isinstance(origin, str) or not origin:
        raise InvalidOperation("an anchorOrigin is needed here: the URI of the domain that anchors this DID")
    if origin in allowed:
        return
    if "*" not in allowed:
        raise InvalidOperation(f"the anchorOrigin {origin[:100]!r} is not taken here")
    if not is_origin(origin):
        raise InvalidOperation(f"the anchorOrigin {origin[:100]!r} is no URI of a domain: https://…")
