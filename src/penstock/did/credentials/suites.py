"""Cryptosuites: what exactly is signed of a credential, and how the signature is written.

`eddsa-jcs-2022` and `ecdsa-jcs-2019`, as the W3C specifies them (Data Integrity EdDSA and ECDSA
Cryptosuites 1.0): the SHA-256 of the proof's own options, then the SHA-256 of the document without
proofs, both in canonical JSON; the signature in base 58. Where the key is on P-384 both are SHA-384.

Why not the JSON-LD suites that Orb uses? They sign a document's meaning as RDF, and the bytes of an anchor
credential are fixed anyway, since its linkset is stored by content. Two of them are checked, for the anchors
of Orb's domains (linked.py). A proof of another suite is told apart (`suite`) from one that does not hold
(`signature`): it counts for nothing, and spoils nothing.

A row in `SUITES` is all that a further suite of this kind needs. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256, sha384
from typing import TYPE_CHECKING, Any, Final

from penstock.did import base58
from penstock.did.credentials.keys import ED25519, P_256, P_384
from penstock.did.credentials.linked import signed_by_jws, signed_statements, value_of_2020, value_of_jws
from penstock.did.credentials.statements import UNKNOWN_SUITE
from penstock.errors import BadCredential, BadEncoding
from penstock.sidetree.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.did.credentials.linked import Digest

__all__ = [
    "CHECKED",
    "ORBS",
    "PROOF_TYPE",
    "SUITES",
    "UNKNOWN_SUITE",
    "Suite",
    "signed_bytes",
    "suite_for",
    "suite_of",
    "value_of",
    "written_value",
]

PROOF_TYPE: Final = "DataIntegrityProof"
DATA_INTEGRITY: Final = "https://w3id.org/security/data-integrity/v2"


def signed_bytes(document: Mapping[str, Any], proof: Mapping[str, Any], digest: Digest = sha256) -> bytes:
    """What the signature of this proof is over.

    A proof that names contexts was made when the document had those; it may have gained others at the end
    since.

    Raises:
        BadCredential: the document's contexts do not begin with the proof's.
        MalformedJson: one of them has no canonical form.
    """
    unsecured = {name: value for name, value in document.items() if name != "proof"}
    options = {name: value for name, value in proof.items() if name != "proofValue"}
    if "@context" in options:
        now, then = _listed(unsecured.get("@context")), _listed(options["@context"])
        if now[: len(then)] != then:
            raise BadCredential("context", "a proof was made for other contexts than the credential has")
        unsecured["@context"] = options["@context"]
    return digest(canonical(options)).digest() + digest(canonical(unsecured)).digest()


def written_value(signature: bytes) -> str:
    """The signature as `proofValue` (Data Integrity §2.1)."""
    return base58.SIGN + base58.encode(signature)


def value_of(proof: Mapping[str, Any]) -> bytes:
    """The signature in a proof.

    Raises:
        BadCredential: there is none that can be read.
    """
    written = proof.get("proofValue")
    if not isinstance(written, str) or not written.startswith(base58.SIGN):
        raise BadCredential("signature", "a proof has no signature in base 58 (proofValue)")
    try:
        return base58.decode(written[1:])
    except BadEncoding as exc:
        raise BadCredential("signature", f"a proof has no signature that can be read: {exc}") from exc


def _listed(contexts: Any) -> list[Any]:
    return contexts if isinstance(contexts, list) else [contexts]


@dataclass(frozen=True, slots=True)
class Suite:
    """A way to sign."""

    name: str
    #: The kinds of keys that it signs with, and what it hashes with for each.
    kinds: Mapping[str, Digest]
    #: What a proof on a credential is over: (credential, proof, digest).
    signed: Callable[[Mapping[str, Any], Mapping[str, Any], Digest], bytes] = signed_bytes
    #: The signature in a proof.
    value: Callable[[Mapping[str, Any]], bytes] = value_of
    #: What explains its proofs in a credential.
    context: str = DATA_INTEGRITY


#: What is signed with, and checked.
SUITES: Final = {
    suite.name: suite
    for suite in (
        Suite("eddsa-jcs-2022", {ED25519: sha256}),
        Suite("ecdsa-jcs-2019", {P_256: sha256, P_384: sha384}),
    )
}

#: What is checked only.
ORBS: Final = {
    suite.name: suite
    for suite in (
        Suite(
            "Ed25519Signature2018",
            {ED25519: sha256},
            signed_by_jws,
            value_of_jws,
            context="https://w3id.org/security/suites/ed25519-2018/v1",
        ),
        Suite(
            "Ed25519Signature2020",
            {ED25519: sha256},
            signed_statements,
            value_of_2020,
            context="https://w3id.org/security/suites/ed25519-2020/v1",
        ),
    )
}

#: The names of all.
CHECKED: Final = ", ".join((*SUITES, *ORBS))


def suite_for(kind: str) -> Suite:
    """The suite for keys of that kind."""
    return next(suite for suite in SUITES.values() if kind in suite.kinds)


def suite_of(proof: Mapping[str, Any]) -> Suite:
    """The suite that a proof says it is of.

    Raises:
        BadCredential: none of those that are known here.
    """
    is_integrity = proof.get("type") == PROOF_TYPE
    name = proof.get("cryptosuite" if is_integrity else "type")
    known = SUITES if is_integrity else ORBS
    if not isinstance(name, str) or name not in known:
        raise BadCredential(
            UNKNOWN_SUITE, f"proofs of {str(name)[:60]!r} cannot be checked here: {CHECKED} can"
        )
    return known[name]
