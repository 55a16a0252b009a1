"""What authors sign, as nearly all of them write it."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from msgspec import UNSET, Meta, UnsetType, field

from penstock.sidetree.usual.keys import Key  # noqa: TC001  msgspec reads it
from penstock.sidetree.usual.texts import Hash  # noqa: TC001  msgspec reads it
from penstock.sidetree.usual.usual import Shape, Usual

__all__ = ["SignedDeactivate", "SignedRecover", "SignedUpdate", "UsualSignedData", "usual_signed_data"]

#: Seconds since 1970, in digits that every reader takes for the same number.
Instant: TypeAlias = Annotated[int, Meta(ge=0, lt=10**15)]


class SignedUpdate(Shape, kw_only=True):
    """Of an update."""

    anchor_from: Instant | UnsetType = UNSET
    anchor_until: Instant | UnsetType = UNSET
    delta_hash: Hash
    key: Key = field(name="updateKey")


class SignedRecover(Shape, kw_only=True):
    """Of a recover."""

    anchor_from: Instant | UnsetType = UNSET
    anchor_origin: str | UnsetType = UNSET
    anchor_until: Instant | UnsetType = UNSET
    delta_hash: Hash
    recovery_commitment: Hash
    key: Key = field(name="recoveryKey")


class SignedDeactivate(Shape, kw_only=True):
    """Of a deactivate."""

    anchor_from: Instant | UnsetType = UNSET
    anchor_until: Instant | UnsetType = UNSET
    did_suffix: str
    key: Key = field(name="recoveryKey")


UsualSignedData: TypeAlias = SignedUpdate | SignedRecover | SignedDeactivate


_signed: Final[dict[str, Usual[Any]]] = {
    "update": Usual(SignedUpdate),
    "recover": Usual(SignedRecover),
    "deactivate": Usual(SignedDeactivate),
}


def usual_signed_data(type_: str, payload: bytes) -> UsualSignedData | None:
    """What the author of an operation of this type has signed, if it is usual, and in canonical form."""
    found: UsualSignedData | None = _signed[type_].read(payload)
    return found
