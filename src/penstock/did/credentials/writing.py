"""The texts that public keys are written as, and back: Multikey, JWK, PEM. Pure; knows no cryptography.

Each is a pair here: the kind of the key (Ed25519, P-256 or P-384), and its bytes, of a curve's as a point.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Final

from penstock.did import base58
from penstock.errors import BadEncoding, BadKey
from penstock.sidetree import base64url

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["from_jwk", "from_multikey", "from_pem", "jwk", "multikey", "pem"]

#: Multicodec's numbers as varints: ed25519-pub 0xed, p256-pub 0x1200, p384-pub 0x1201.
CODECS: Final = {"Ed25519": b"\xed\x01", "P-256": b"\x80\x24", "P-384": b"\x81\x24"}
KINDS: Final = ", ".join(CODECS)
#: What a SubjectPublicKeyInfo begins with (RFC 8410 §4; RFC 5480 §2, an uncompressed point).
INFOS: Final = {
    "Ed25519": bytes.fromhex("302a300506032b6570032100"),
    "P-256": bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200"),
    "P-384": bytes.fromhex("3076301006072a8648ce3d020106052b81040022036200"),
}
STANDARD: Final = "PUBLIC KEY"
UNCOMPRESSED: Final = b"\x04"
PEM: Final = re.compile(r"\s*-----BEGIN ([A-Za-z0-9 -]{1,40})-----([A-Za-z0-9+/=\s]*)-----END \1-----\s*")


def multikey(kind: str, raw: bytes) -> str:
    """The key behind the number of its codec, in base 58."""
    return base58.SIGN + base58.encode(CODECS[kind] + raw)


def from_multikey(text: str) -> tuple[str, bytes]:
    """Read one.

    Raises:
        BadKey: it is none, or of another kind.
    """
    if not text.startswith(base58.SIGN):
        raise BadKey(f"a Multikey begins with {base58.SIGN!r}: {text[:60]!r}")
    try:
        packed = base58.decode(text[1:])
    except BadEncoding as exc:
        raise BadKey(f"no Multikey: {exc}") from exc
    for kind, codec in CODECS.items():
        if packed.startswith(codec):
            return kind, packed[len(codec) :]
    raise BadKey(f"a Multikey of {KINDS} is wanted: {text[:60]!r}")


def jwk(kind: str, raw: bytes) -> dict[str, str]:
    """The key as JSON."""
    if kind == "Ed25519":
        return {"kty": "OKP", "crv": kind, "x": base64url.encode(raw)}
    middle = (len(raw) + 1) // 2
    x, y = raw[1:middle], raw[middle:]
    return {"kty": "EC", "crv": kind, "x": base64url.encode(x), "y": base64url.encode(y)}


def from_jwk(said: Mapping[str, Any]) -> tuple[str, bytes]:
    """Read one.

    Raises:
        BadKey: it is none, or of another kind.
    """
    try:
        match said:
            case {"kty": "OKP", "crv": "Ed25519", "x": str(x)}:
                return "Ed25519", base64url.decode(x)
            case {"kty": "EC", "crv": "P-256" | "P-384" as curve, "x": str(x), "y": str(y)}:
                return curve, UNCOMPRESSED + base64url.decode(x) + base64url.decode(y)
    except BadEncoding as exc:
        raise BadKey(f"no JWK: {exc}") from exc
    raise BadKey(f"a JWK of {KINDS} is wanted, not {said.get('kty')!r}, {said.get('crv')!r}")


def pem(kind: str, raw: bytes) -> str:
    """The bare key behind a label that names its kind, as Orb reads it."""
    body = "\n".join(wrap(b64encode(raw).decode(), 64))
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"


def from_pem(text: str) -> tuple[str, bytes]:
    """Read Orb's form, or the standard one.

    Raises:
        BadKey: it is none, or of another kind.
    """
    found = PEM.fullmatch(text)
    if found is None:
        raise BadKey("no public key in PEM")
    label = found[1]
    try:
        raw = b64decode("".join(found[2].split()), validate=True)
    except ValueError as exc:
        raise BadKey(f"no public key in PEM: {exc}") from exc
    if label in CODECS:
        return label, raw
    for kind, beginning in INFOS.items():
        if label == STANDARD and raw.startswith(beginning):
            return kind, raw[len(beginning) :]
    raise BadKey(f"a PEM of {KINDS} is wanted, not {label!r}")
