"""Requests, for those who hold DIDs: what to post to create, update, recover and deactivate one.

Each gives the request as a value; `canonical` makes the bytes. Keys are promised before they are used: keep
the next one safe before you post.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.sidetree.multihash import commitment, hashed, reveal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.sidetree.signing import SigningKey

__all__ = ["create", "deactivate", "recover", "update"]

Request = dict[str, Any]


def create(
    patches: Sequence[Any],
    *,
    recovery_key: Any,
    update_key: Any,
    anchor_origin: str | None = None,
    type_: str | None = None,
) -> Request:
    """A DID that begins with these patches; the keys are public JWKs."""
    delta = delta_of(patches, update_key)
    said = {"deltaHash": hashed(delta), "recoveryCommitment": commitment(recovery_key)}
    suffix_data = {**said, **given(anchorOrigin=anchor_origin, type=type_)}
    return {"type": "create", "suffixData": suffix_data, "delta": delta}


def update(
    suffix: str,
    patches: Sequence[Any],
    *,
    key: SigningKey,
    next_update_key: Any,
    anchor_from: int | None = None,
    anchor_until: int | None = None,
) -> Request:
    """These patches, signed with the key that was promised for it."""
    delta = delta_of(patches, next_update_key)
    said = {
        "updateKey": key.public,
        "deltaHash": hashed(delta),
        **given(anchorFrom=anchor_from, anchorUntil=anchor_until),
    }
    return {**signed("update", suffix, key, said), "delta": delta}


def recover(
    suffix: str,
    patches: Sequence[Any],
    *,
    key: SigningKey,
    next_recovery_key: Any,
    next_update_key: Any,
    anchor_origin: str | None = None,
    anchor_from: int | None = None,
    anchor_until: int | None = None,
) -> Request:
    """A new beginning with these patches, signed with the recovery key."""
    delta = delta_of(patches, next_update_key)
    said = {
        "recoveryKey": key.public,
        "recoveryCommitment": commitment(next_recovery_key),
        "deltaHash": hashed(delta),
        **given(anchorOrigin=anchor_origin, anchorFrom=anchor_from, anchorUntil=anchor_until),
    }
    return {**signed("recover", suffix, key, said), "delta": delta}


def deactivate(
    suffix: str, *, key: SigningKey, anchor_from: int | None = None, anchor_until: int | None = None
) -> Request:
    """The end, signed with the recovery key."""
    said = {
        "didSuffix": suffix,
        "recoveryKey": key.public,
        **given(anchorFrom=anchor_from, anchorUntil=anchor_until),
    }
    return signed("deactivate", suffix, key, said)


def delta_of(patches: Sequence[Any], next_update_key: Any) -> dict[str, Any]:
    return {"patches": list(patches), "updateCommitment": commitment(next_update_key)}


def signed(type_: str, suffix: str, key: SigningKey, said: dict[str, Any]) -> Request:
    return {
        "type": type_,
        "didSuffix": suffix,
        "revealValue": reveal(key.public),
        "signedData": key.sign(said),
    }


def given(**members: Any) -> dict[str, Any]:
    """Those that have a value: what is not said is left out, not null."""
    return {name: value for name, value in members.items() if value is not None}
