"""Keys that sign operations, as nearly all are: a curve, its coordinates, and no nonce."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from penstock.sidetree.base64url import decode_checked
from penstock.sidetree.keys import KINDS, Kind
from penstock.sidetree.usual.texts import Coordinate  # noqa: TC001  msgspec reads it

if TYPE_CHECKING:
    from penstock.sidetree.jws import Parts

__all__ = ["CURVES", "Key"]


class Signer(Struct, tag_field="crv", forbid_unknown_fields=True, gc=False):
    """What signs."""

    kind: ClassVar[Kind]

    def has_made(self, jws: Parts) -> bool:
        """Whether this key made this signature, and with the algorithm of its curve."""
        if jws.algorithm != self.kind.algorithm:
            return False
        try:
            return self.kind.signed(*self.point(), jws.signature, jws.signed)
        except ValueError:
            # It is no point of the curve.
            return False

    def point(self) -> tuple[bytes, bytes]:
        """Its coordinates, as many as the curve needs."""
        raise NotImplementedError


class OfTwo(Signer):
    """On a curve whose points have two coordinates."""

    kty: Literal["EC"]
    x: Coordinate
    y: Coordinate

    def point(self) -> tuple[bytes, bytes]:
        return decode_checked(self.x), decode_checked(self.y)


class P256(OfTwo, tag="P-256"):
    """For ES256."""

    kind = KINDS["P-256"]


class Secp256k1(OfTwo, tag="secp256k1"):
    """For ES256K."""

    kind = KINDS["secp256k1"]


class Ed25519(Signer, tag="Ed25519"):
    """For EdDSA; with or without the empty y that Orb writes."""

    kind = KINDS["Ed25519"]

    kty: Literal["OKP"]
    x: Coordinate
    y: Literal[""] | UnsetType = UNSET

    def point(self) -> tuple[bytes, bytes]:
        return decode_checked(self.x), b""


Key: TypeAlias = P256 | Secp256k1 | Ed25519

CURVES: Final = frozenset({"P-256", "secp256k1", "Ed25519"})
