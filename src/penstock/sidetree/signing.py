"""Private keys, for those who hold DIDs: made, kept as JWKs, and signed with.

A domain never needs one of these; the command line and the tests do.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

import coincurve
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    derive_private_key,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from penstock.errors import BadKey, SidetreeError
from penstock.sidetree.base64url import decode, encode
from penstock.sidetree.canonical import canonical
from penstock.sidetree.keys import COORDINATE, ES256, kind_of

__all__ = ["SigningKey"]


class P256:
    """A private key on P-256."""

    def __init__(self, key: EllipticCurvePrivateKey) -> None:
        self._key = key

    @classmethod
    def made(cls) -> P256:
        return cls(generate_private_key(SECP256R1()))

    @classmethod
    def of(cls, secret: bytes) -> P256:
        return cls(derive_private_key(int.from_bytes(secret, "big"), SECP256R1()))

    def secret(self) -> bytes:
        return self._key.private_numbers().private_value.to_bytes(COORDINATE, "big")

    def point(self) -> tuple[bytes, bytes]:
        numbers = self._key.public_key().public_numbers()
        return numbers.x.to_bytes(COORDINATE, "big"), numbers.y.to_bytes(COORDINATE, "big")

    def sign(self, data: bytes) -> bytes:
        return joined(self._key.sign(data, ES256))


class Secp256k1:
    """A private key on secp256k1."""

    def __init__(self, key: coincurve.PrivateKey) -> None:
        self._key = key

    @classmethod
    def made(cls) -> Secp256k1:
        return cls(coincurve.PrivateKey())

    @classmethod
    def of(cls, secret: bytes) -> Secp256k1:
        return cls(coincurve.PrivateKey(secret))

    def secret(self) -> bytes:
        return self._key.secret

    def point(self) -> tuple[bytes, bytes]:
        point = self._key.public_key.format(compressed=False)
        return point[1 : 1 + COORDINATE], point[1 + COORDINATE :]

    def sign(self, data: bytes) -> bytes:
        return joined(self._key.sign(sha256(data).digest(), hasher=None))


class Ed25519:
    """A private key on Ed25519."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def made(cls) -> Ed25519:
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def of(cls, secret: bytes) -> Ed25519:
        return cls(Ed25519PrivateKey.from_private_bytes(secret))

    def secret(self) -> bytes:
        return self._key.private_bytes_raw()

    def point(self) -> tuple[bytes, bytes]:
        return self._key.public_key().public_bytes_raw(), b""

    def sign(self, data: bytes) -> bytes:
        return self._key.sign(data)


PRIVATE: Final[dict[str, type[P256 | Secp256k1 | Ed25519]]] = {
    "P-256": P256,
    "secp256k1": Secp256k1,
    "Ed25519": Ed25519,
}


def joined(signature: bytes) -> bytes:
    """A signature in DER as JWS has it (RFC 7518 §3.4): r ‖ s."""
    r, s = decode_dss_signature(signature)
    return r.to_bytes(COORDINATE, "big") + s.to_bytes(COORDINATE, "big")


class SigningKey:
    """A private key and its public JWK: `SigningKey.made("P-256")`, or `SigningKey.of(jwk)`."""

    def __init__(self, curve: str, key: P256 | Secp256k1 | Ed25519) -> None:
        self._key = key
        self.kind = kind_of({"crv": curve, "kty": "OKP" if curve == "Ed25519" else "EC"})
        x, y = key.point()
        #: What may be shown: the key that operations carry and commitments are made of. Ed25519 has no y, but
        #: Orb's nodes write an empty one before they hash a key, and redeem no commitment without it.
        self.public = {"kty": self.kind.type, "crv": curve, "x": encode(x), "y": encode(y)}

    def __repr__(self) -> str:
        return f"<SigningKey {self.kind.curve} {self.public['x']}>"

    @classmethod
    def made(cls, curve: str = "P-256") -> SigningKey:
        """A new one, by the system's chance."""
        return cls(curve, private(curve).made())

    @classmethod
    def of(cls, jwk: dict[str, Any]) -> SigningKey:
        """The one that a private JWK holds.

        Raises:
            BadKey: it holds none, or its public half is another key's.
        """
        curve = str(jwk.get("crv"))
        try:
            key = cls(curve, private(curve).of(decode(str(jwk.get("d", "")))))
        except (SidetreeError, ValueError) as exc:
            raise BadKey(f"this JWK holds no private key: {exc}") from exc
        if not key.public["y"] and "y" not in jwk:
            # It was promised without.
            del key.public["y"]
        if any(jwk.get(member) != value for member, value in key.public.items()):
            raise BadKey("the public half of this JWK is another key's")
        return key

    def jwk(self) -> dict[str, str]:
        """What must be kept secret to have the key again."""
        return {**self.public, "d": encode(self._key.secret())}

    def sign(self, payload: Any, **header: str) -> str:
        """A compact JWS of this payload."""
        protected = encode(canonical({"alg": self.kind.algorithm, **header}))
        signed = f"{protected}.{encode(canonical(payload))}"
        return f"{signed}.{encode(self._key.sign(signed.encode('ascii')))}"


def private(curve: str) -> type[P256 | Secp256k1 | Ed25519]:
    if curve not in PRIVATE:
        raise BadKey(f"operations are signed with keys on {', '.join(PRIVATE)}, not on {curve!r}")
    return PRIVATE[curve]
