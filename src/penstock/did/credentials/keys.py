"""Keys of a domain: with them it signs credentials and requests, and others check that it did.

Two kinds: Ed25519, and ECDSA on P-256 with SHA-256 (ES256), whose signatures are r ‖ s of 32 bytes each.
Signing is deterministic for both (RFC 8032, RFC 6979), so the same batch has the same signature however
often it is built. A third is checked only, since ecdsa-jcs-2019 has it: ECDSA on P-384 with SHA-384, of 48
bytes each.

A public key is written in the forms that are met: Multikey, JWK, PEM as Orb has it, and read in these and
in the standard PEM. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    SECP384R1,
    EllipticCurve,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256, SHA384, HashAlgorithm
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)

from penstock.did.credentials import writing
from penstock.errors import BadKey

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ED25519", "P_256", "P_384", "PublicKey", "SigningKey"]

ED25519: Final = "Ed25519"
P_256: Final = "P-256"
P_384: Final = "P-384"

#: Of each kind of ECDSA: the curve, what is hashed with, and the bytes of r, and of s.
CURVES: Final[Mapping[str, tuple[EllipticCurve, HashAlgorithm, int]]] = {
    P_256: (SECP256R1(), SHA256(), 32),
    P_384: (SECP384R1(), SHA384(), 48),
}
#: Bytes of r, and of s, of what is signed here.
SCALAR: Final = 32

Public = Ed25519PublicKey | EllipticCurvePublicKey
Private = Ed25519PrivateKey | EllipticCurvePrivateKey


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Checks signatures."""

    #: ED25519, P_256 or P_384.
    kind: str
    #: 32 bytes of Ed25519, or a compressed point of the curve.
    raw: bytes

    def verify(self, data: bytes, signature: bytes) -> bool:
        """Whether whoever has the private key signed exactly this."""
        key = _loaded(self.kind, self.raw)
        try:
            if isinstance(key, Ed25519PublicKey):
                key.verify(signature, data)
            else:
                _, hashed, scalar = CURVES[self.kind]
                key.verify(_in_der(signature, scalar), data, ECDSA(hashed))
        except InvalidSignature:
            return False
        return True

    @property
    def _bare(self) -> bytes:
        """As JWK and PEM want it: a point uncompressed, 0x04 ‖ x ‖ y."""
        key = _loaded(self.kind, self.raw)
        if isinstance(key, Ed25519PublicKey):
            return self.raw
        return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    # Forms

    @property
    def multikey(self) -> str:
        """As did:key has it (W3C Controlled Identifiers §2.2.2)."""
        return writing.multikey(self.kind, self.raw)

    @property
    def jwk(self) -> dict[str, str]:
        """As RFC 7517 and RFC 8037 have it."""
        return writing.jwk(self.kind, self._bare)

    @property
    def pem(self) -> str:
        """As Orb has it: the kind as the label, and the bare key inside."""
        return writing.pem(self.kind, self._bare)

    @classmethod
    def from_multikey(cls, text: str) -> PublicKey:
        """Read a Multikey; raises BadKey, as the others do."""
        return cls.of(*writing.from_multikey(text))

    @classmethod
    def from_jwk(cls, jwk: Mapping[str, Any]) -> PublicKey:
        """Read a JWK."""
        return cls.of(*writing.from_jwk(jwk))

    @classmethod
    def from_pem(cls, text: str) -> PublicKey:
        """Read Orb's PEM, or the standard one (SubjectPublicKeyInfo)."""
        return cls.of(*writing.from_pem(text))

    @classmethod
    def of(cls, kind: str, raw: bytes) -> PublicKey:
        """Of a bare key; a point may be compressed or not.

        Raises:
            BadKey: there is no such key.
        """
        return cls.wrapping(_loaded(kind, raw))

    @classmethod
    def wrapping(cls, key: Public) -> PublicKey:
        """Of a key of the library."""
        if isinstance(key, Ed25519PublicKey):
            return cls(ED25519, key.public_bytes(Encoding.Raw, PublicFormat.Raw))
        kind = next(kind for kind, (curve, *_) in CURVES.items() if curve.name == key.curve.name)
        return cls(kind, key.public_bytes(Encoding.X962, PublicFormat.CompressedPoint))


@dataclass(frozen=True, slots=True, repr=False)
class SigningKey:
    """Signs. Its text form is a secret: PKCS 8 in PEM."""

    _key: Private

    @classmethod
    def generate(cls, kind: str = ED25519) -> SigningKey:
        """A new one."""
        return cls(Ed25519PrivateKey.generate() if kind == ED25519 else generate_private_key(SECP256R1()))

    @classmethod
    def from_pem(cls, pem: bytes) -> SigningKey:
        """Read one.

        Raises:
            BadKey: it is none, or of another kind.
        """
        try:
            key = load_pem_private_key(pem, None)
        except (TypeError, UnsupportedAlgorithm, ValueError) as exc:
            raise BadKey(f"no private key in PEM without a password ({exc})") from exc
        if isinstance(key, EllipticCurvePrivateKey) and not isinstance(key.curve, SECP256R1):
            raise BadKey(f"a domain signs with Ed25519 or P-256, not with {key.curve.name}")
        if not isinstance(key, Ed25519PrivateKey | EllipticCurvePrivateKey):
            raise BadKey(f"a domain signs with Ed25519 or P-256, not with {type(key).__name__}")
        return cls(key)

    @property
    def pem(self) -> bytes:
        """The secret itself."""
        return self._key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    @property
    def public(self) -> PublicKey:
        """What others check its signatures with."""
        return PublicKey.wrapping(self._key.public_key())

    def sign(self, data: bytes) -> bytes:
        """The signature, 64 bytes."""
        if isinstance(self._key, Ed25519PrivateKey):
            return self._key.sign(data)
        r, s = decode_dss_signature(self._key.sign(data, ECDSA(SHA256(), deterministic_signing=True)))
        return r.to_bytes(SCALAR, "big") + s.to_bytes(SCALAR, "big")

    def __repr__(self) -> str:
        return f"<SigningKey {self.public.multikey}>"


def _loaded(kind: str, raw: bytes) -> Public:
    try:
        if kind == ED25519:
            return Ed25519PublicKey.from_public_bytes(raw)
        return EllipticCurvePublicKey.from_encoded_point(CURVES[kind][0], raw)
    except ValueError as exc:
        raise BadKey(f"no public key of {kind}: {exc}") from exc


def _in_der(signature: bytes, scalar: int) -> bytes:
    """As the library wants it, of r ‖ s."""
    if len(signature) != 2 * scalar:
        raise InvalidSignature
    r, s = (int.from_bytes(half, "big") for half in (signature[:scalar], signature[scalar:]))
    return encode_dss_signature(r, s)
