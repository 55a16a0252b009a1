"""Keys that sign operations, as nearly all are: a curve, its coordinates, and no nonce."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from penstock.sidetree.usual.texts import Coordinate  # noqa: TC001  msgspec reads it

__all__ = ["CURVES", "Key"]


class P256(Struct, tag_field="crv", tag="P-256", forbid_unknown_fields=True, gc=False):
    """For ES256."""

    kty: Literal["EC"]
    x: Coordinate
    y: Coordinate


class Secp256k1(Struct, tag_field="crv", tag="secp256k1", forbid_unknown_fields=True, gc=False):
    """For ES256K."""

    kty: Literal["EC"]
    x: Coordinate
    y: Coordinate


class Ed25519(Struct, tag_field="crv", tag="Ed25519", forbid_unknown_fields=True, gc=False):
    """For EdDSA; without the empty y that Orb writes."""

    kty: Literal["OKP"]
    x: Coordinate


Key: TypeAlias = P256 | Secp256k1 | Ed25519

CURVES: Final = frozenset({"P-256", "secp256k1", "Ed25519"})
