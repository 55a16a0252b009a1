"""Signatures of operations: compact JWS (RFC 7515) as Sidetree allows them.

The protected header has `alg`, perhaps `kid`, and nothing else. The algorithm must be the one of the key's
curve: ES256K over an Ed25519 key is refused, since who lets the header choose can be led to take anything.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct

from penstock.errors import BadSignature, SidetreeError
from penstock.sidetree import base64url
from penstock.sidetree.canonical import parse
from penstock.sidetree.keys import kind_of, signed_by

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Jws", "Parts", "check_plain", "parts_of", "read_jws", "verify"]

HEADER: Final = frozenset({"alg", "kid"})
PARTS: Final = 3
#: Letters of a header that is remembered.
LONGEST_KNOWN: Final = 512


class Jws(Struct, frozen=True, gc=False):
    """A signature that has been read and not been verified."""

    algorithm: str
    payload: Any
    #: What was signed, as it was received: nobody's idea of how JSON is written comes between.
    signed: bytes
    signature: bytes


class Parts(Struct, frozen=True, gc=False):
    """A compact JWS, decoded; nobody has looked at its payload."""

    algorithm: str
    payload: bytes
    signed: bytes
    signature: bytes


def read_jws(compact: Any, algorithms: Collection[str]) -> Jws:
    """What a compact JWS says.

    Raises:
        BadSignature: it is none, its header says more than it may, or its algorithm is not among these.
    """
    parts = parts_of(compact, algorithms)
    try:
        return Jws(parts.algorithm, parse(parts.payload), parts.signed, parts.signature)
    except SidetreeError as exc:
        raise BadSignature(f"signedData cannot be read: {exc}") from exc


def parts_of(compact: Any, algorithms: Collection[str]) -> Parts:
    """The parts of a compact JWS.

    Raises:
        BadSignature: as of `read_jws`, but for the payload.
    """
    if not isinstance(compact, str) or compact.count(".") != PARTS - 1:
        raise BadSignature("signedData must be a compact JWS: header.payload.signature")
    header, payload, signature = compact.split(".")
    algorithm = algorithm_of(header)
    if algorithm not in algorithms:
        raise BadSignature(f"operations are signed with {', '.join(algorithms)}, not with {algorithm!r}")
    if not signature:
        raise BadSignature("signedData has no signature")
    try:
        return Parts(
            algorithm,
            base64url.decode(payload),
            compact[: -len(signature) - 1].encode("ascii"),
            base64url.decode(signature),
        )
    except SidetreeError as exc:
        raise BadSignature(f"signedData cannot be read: {exc}") from exc


def algorithm_of(header: str) -> str:
    """What a protected header names; the same few headers stand before all signatures."""
    # In a batch of strangers one may have megabytes, and a thousand of those would be kept.
    return known_algorithm(header) if len(header) <= LONGEST_KNOWN else read_algorithm(header)


def read_algorithm(header: str) -> str:
    try:
        members = parse(base64url.decode(header))
    except SidetreeError as exc:
        raise BadSignature(f"a JWS header cannot be read: {exc}") from exc
    if not isinstance(members, dict) or not members.keys() <= HEADER:
        raise BadSignature("a JWS header has 'alg', perhaps 'kid', and nothing else")
    if not all(isinstance(value, str) for value in members.values()) or not members.get("alg"):
        raise BadSignature("a JWS header must name its algorithm")
    return str(members["alg"])


known_algorithm: Final = lru_cache(maxsize=1024)(read_algorithm)


def check_plain(compact: str) -> None:
    """Nothing happens if the header of a JWS that was read names its algorithm and nothing else.

    Raises:
        BadSignature: it says more.
    """
    if len(parse(base64url.decode(compact.split(".", maxsplit=1)[0]))) > 1:
        raise BadSignature("a JWS header has 'alg' and nothing else here")


def verify(jws: Jws, key: dict[str, str]) -> None:
    """Nothing happens if this key made this signature.

    Raises:
        BadSignature: it did not, or its kind signs with another algorithm.
        BadKey: it is no point of its curve.
    """
    kind = kind_of(key)
    if jws.algorithm != kind.algorithm:
        raise BadSignature(f"a key on {kind.curve} signs with {kind.algorithm}, not with {jws.algorithm!r}")
    if not signed_by(key, jws.signature, jws.signed):
        raise BadSignature("the signature is not of this key, or not of this data")
