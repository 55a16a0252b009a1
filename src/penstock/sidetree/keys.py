"""Public keys as JWKs, and what each kind of them can check.

A key is hashed as it was received: Orb writes `"y":""` into an Ed25519 key and others do not, and both
are their writers' keys. What is refused is a member that nobody knows.

Measured on one core: ES256 84 µs, ES256K 47 µs (libsecp256k1 by coincurve; OpenSSL's takes 430), EdDSA
150 µs. Making the key object is 1 to 7 µs of that, and a key signs one operation only, so no key is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import coincurve
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from penstock.errors import BadEncoding, BadKey
from penstock.sidetree.base64url import decode

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.sidetree.protocol import Protocol

__all__ = ["KINDS", "Kind", "check_key", "kind_of", "signed_by"]

PLAIN: Final = frozenset({"kty", "crv", "x", "y"})
MEMBERS: Final = PLAIN | {"nonce"}
COORDINATE: Final = 32
#: How base64url writes 32 bytes: two bits of the last letter are not used.
COORDINATE_TEXT: Final = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]", re.ASCII)
SIGNATURE: Final = 64

#: Order of the group of secp256k1 (SEC 2 §2.4.1).
ORDER_SECP256K1: Final = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141

ES256: Final = ECDSA(SHA256())


@dataclass(frozen=True, slots=True)
class Kind:
    """What a curve's keys sign with, and how that is checked: (x, y, signature, data)."""

    curve: str
    type: str
    algorithm: str
    signed: Callable[[bytes, bytes, bytes, bytes], bool]


def signed_p256(x: bytes, y: bytes, signature: bytes, data: bytes) -> bool:
    key = EllipticCurvePublicKey.from_encoded_point(SECP256R1(), b"\x04" + x + y)
    r, s = halves(signature)
    try:
        key.verify(encode_dss_signature(r, s), data, ES256)
    except InvalidSignature:
        return False
    return True


def signed_secp256k1(x: bytes, y: bytes, signature: bytes, data: bytes) -> bool:
    key = coincurve.PublicKey(b"\x04" + x + y)
    r, s = halves(signature)
    if not (0 < r < ORDER_SECP256K1 and 0 < s < ORDER_SECP256K1):
        return False
    # libsecp256k1 takes the lower of the two values of s only; JWS (RFC 8812) takes both.
    lower = min(s, ORDER_SECP256K1 - s)
    return key.verify(encode_dss_signature(r, lower), sha256(data).digest(), hasher=None)


def signed_ed25519(x: bytes, y: bytes, signature: bytes, data: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(x).verify(signature, data)
    except InvalidSignature:
        return False
    return True


#: P-384 is a curve of Orb's list; no algorithm that operations are signed with fits it.
KINDS: Final = {
    kind.curve: kind
    for kind in (
        Kind("P-256", "EC", "ES256", signed_p256),
        Kind("secp256k1", "EC", "ES256K", signed_secp256k1),
        Kind("Ed25519", "OKP", "EdDSA", signed_ed25519),
    )
}


def halves(signature: bytes) -> tuple[int, int]:
    half = SIGNATURE // 2
    return int.from_bytes(signature[:half], "big"), int.from_bytes(signature[half:], "big")


def check_key(key: Any, protocol: Protocol) -> None:
    """Nothing happens if an operation may carry this key.

    Raises:
        BadKey: it is no public JWK, or none of a kind that signs.
    """
    if not isinstance(key, dict):
        raise BadKey("a key must be a JWK, an object")
    if unknown := key.keys() - (MEMBERS if protocol.extensions else PLAIN):
        raise BadKey(f"a public key has no member {min(unknown)!r}")
    if not all(isinstance(value, str) for value in key.values()):
        raise BadKey("a public key's members must be texts")
    if key.get("crv") not in protocol.key_curves:
        raise BadKey(f"this version of the protocol takes no keys on {key.get('crv')!r}")
    for member in ("kty", "x"):
        if not key.get(member):
            raise BadKey(f"a key has no {member!r}")
    if not protocol.any_key:
        check_coordinates(key, kind_of(key))
    if key.get("nonce") and size_of(key["nonce"]) != protocol.nonce_size:
        raise BadKey(f"a key's nonce must have {protocol.nonce_size} bytes")


def kind_of(key: dict[str, str]) -> Kind:
    """The kind of its curve.

    Raises:
        BadKey: no operation is signed with keys on that curve.
    """
    kind = KINDS.get(key.get("crv", ""))
    if kind is None:
        raise BadKey(f"operations are signed with keys on {', '.join(KINDS)}, not on {key.get('crv')!r}")
    if key.get("kty") != kind.type:
        raise BadKey(f"a key on {kind.curve} has kty {kind.type!r}, not {key.get('kty')!r}")
    return kind


def check_coordinates(key: dict[str, str], kind: Kind) -> None:
    """Ed25519 has no y, and Orb writes an empty one."""
    x, y = key.get("x", ""), key.get("y", "")
    if not COORDINATE_TEXT.fullmatch(x) or not (COORDINATE_TEXT.fullmatch(y) if kind.type == "EC" else not y):
        wanted = f"{COORDINATE} bytes of x and {COORDINATE if kind.type == 'EC' else 0} of y"
        raise BadKey(f"a key on {kind.curve} has {wanted}, as base64url")


def size_of(text: str) -> int:
    try:
        return len(decode(text))
    except BadEncoding as exc:
        raise BadKey(f"a key's nonce must be base64url: {exc}") from exc


def signed_by(key: dict[str, str], signature: bytes, data: bytes) -> bool:
    """Whether this key made this signature of these bytes.

    Raises:
        BadKey: it is of no kind that signs, or no point of its curve.
    """
    kind = kind_of(key)
    check_coordinates(key, kind)
    if len(signature) != SIGNATURE:
        return False
    try:
        return kind.signed(decode(key["x"]), decode(key.get("y", "")), signature, data)
    except ValueError as exc:
        raise BadKey(f"a key is no point of {kind.curve}") from exc
