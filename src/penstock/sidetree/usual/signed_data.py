"""What authors sign, as nearly all of them write it."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from penstock.sidetree.usual.keys import Key  # noqa: TC001  msgspec reads it
from penstock.sidetree.usual.texts import Hash  # noqa: TC001  msgspec reads it
from penstock.sidetree.usual.usual import Shape, Usual

__all__ = ["is_usual_signed_data"]

#: Seconds since 1970, in digits that every reader takes for the same number.
Instant: TypeAlias = Annotated[int, Meta(ge=0, lt=10**15)]


class SignedUpdate(Shape, kw_only=True):
    """Of an update."""

    anchor_from: Instant | UnsetType = UNSET
    anchor_until: Instant | UnsetType = UNSET
    delta_hash: Hash
    update_key: Key


class SignedRecover(Shape, kw_only=True):
    """Of a recover."""

    anchor_from: Instant | UnsetType = UNSET
    anchor_origin: str | UnsetType = UNSET
    anchor_until: Instant | UnsetType = UNSET
    delta_hash: Hash
    recovery_commitment: Hash
    recovery_key: Key


class SignedDeactivate(Shape, kw_only=True):
    """Of a deactivate."""

    anchor_from: Instant | UnsetType = UNSET
    anchor_until: Instant | UnsetType = UNSET
    did_suffix: str
    recovery_key: Key


_signed: Final[dict[str, Usual[Any]]] = {
    "update": Usual(SignedUpdate),
    "recover": Usual(SignedRecover),
    "deactivate": Usual(SignedDeactivate),
}


def is_usual_signed_data(type_: str, payload: bytes) -> bool:
    """Whether the author of an operation of this type has signed something usual, in canonical form."""
    return _signed[type_].read(payload) is not None
