"""Suffix data of a DID that says who anchors it by a text, or does not say it."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from penstock.sidetree.suffix_data import TYPE
from penstock.sidetree.usual.texts import Hash  # noqa: TC001  msgspec reads it

__all__ = ["SuffixData"]

DeltaHash = TypeVar("DeltaHash", bound=str)


class SuffixData(
    Struct, Generic[DeltaHash], kw_only=True, forbid_unknown_fields=True, rename="camel", gc=False
):
    """Members in canonical order.

    Its delta's hash is a `Hash`; or any text for those who have the delta at hand, and make the hash again.
    """

    anchor_origin: str | UnsetType = UNSET
    delta_hash: DeltaHash
    recovery_commitment: Hash
    type: Annotated[str, Meta(min_length=1, pattern=rf"^(?:{TYPE.pattern})\Z")] | UnsetType = UNSET
