"""The suites of Orb's domains: Linked Data Proofs with Ed25519, over the RDF that a credential means.

    Ed25519Signature2018    a detached JWS (RFC 7797)
    Ed25519Signature2020    the signature in base 58; before spring 2022 in base64url

They are checked, and never made: what Penstock signs is canonical JSON (suites.py). Checked against anchors
that Orb's own tests and documentation have published, with the keys that these are published with. Of
JsonWebSignature2020 there are such anchors, too, but none with its key. Pure.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from penstock.did import base58
from penstock.did.credentials.statements import credential_statements, proof_statements
from penstock.errors import BadCredential, BadEncoding
from penstock.sidetree import base64url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from hashlib import _Hash

    #: What is hashed with, as those of hashlib.
    Digest = Callable[[bytes], _Hash]

__all__ = ["signed_by_jws", "signed_statements", "value_of_2020", "value_of_jws"]

#: {"alg":"EdDSA","b64":false,"crit":["b64"]}, as every one of them has it.
HEADER: Final = "eyJhbGciOiJFZERTQSIsImI2NCI6ZmFsc2UsImNyaXQiOlsiYjY0Il19"
SIGNATURE: Final = 64


def signed_statements(
    credential: Mapping[str, Any], proof: Mapping[str, Any], digest: Digest = sha256
) -> bytes:
    """What the signature of a proof is over.

    Raises:
        BadCredential: one of the two is in no shape that Orb has written.
    """
    return digest(proof_statements(proof)).digest() + digest(credential_statements(credential)).digest()


def signed_by_jws(credential: Mapping[str, Any], proof: Mapping[str, Any], digest: Digest = sha256) -> bytes:
    """The same where the signature is a JWS: its header is signed, too."""
    return f"{HEADER}.".encode() + signed_statements(credential, proof, digest)


def value_of_jws(proof: Mapping[str, Any]) -> bytes:
    """The signature of a detached JWS: header, nothing, signature.

    Raises:
        BadCredential: there is none, or with another header.
    """
    match str(proof.get("jws")).split("."):
        case [header, "", signature] if header == HEADER:
            return _decoded(signature)
    raise BadCredential("signature", "a proof has no detached JWS with EdDSA (jws)")


def value_of_2020(proof: Mapping[str, Any]) -> bytes:
    """The signature in either form; a text of base64url may begin with a z, too, and is not of 64 bytes then.

    Raises:
        BadCredential: there is none that can be read.
    """
    written = str(proof.get("proofValue"))
    if written.startswith(base58.SIGN):
        try:
            found = base58.decode(written[1:])
        except BadEncoding:
            found = b""
        if len(found) == SIGNATURE:
            return found
    return _decoded(written)


def _decoded(text: str) -> bytes:
    try:
        return base64url.decode(text)
    except BadEncoding as exc:
        raise BadCredential("signature", f"a proof has no signature that can be read: {exc}") from exc
