"""Proofs on a credential: a set, in which each stands for itself.

Each signs the credential without proofs, so the witnesses' can be added in any order and none breaks
another. A credential is a JSON object throughout, and stays as it was received.

Pure, but for the port that keys come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from penstock.did.credentials.methods import ASSERTION, host_of
from penstock.did.credentials.suites import (
    CHECKED,
    PROOF_TYPE,
    UNKNOWN_SUITE,
    signed_bytes,
    suite_for,
    suite_of,
    written_value,
)
from penstock.did.instants import from_rfc_3339, rfc_3339
from penstock.errors import BadCredential, MalformedJson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.did.credentials.keys import SigningKey
    from penstock.did.credentials.methods import Keys

    Document = Mapping[str, Any]

__all__ = [
    "Outcome",
    "check",
    "check_proof",
    "holding",
    "hosts_in",
    "hosts_of",
    "is_timely",
    "outcomes",
    "proofs_of",
    "sign",
    "with_proofs",
]

#: Proofs on one credential; each costs a key and a signature to check.
MOST: Final = 100


def sign(
    credential: Document, key: SigningKey, *, method: str, at: float, domain: str = ""
) -> dict[str, Any]:
    """A proof that whoever has the key vouches for this credential.

    Args:
        credential: With or without proofs; they do not matter.
        key: The signer's.
        method: Where others find the public key.
        at: When, in seconds since the epoch.
        domain: Whom the signer speaks for, if it says.
    """
    proof: dict[str, Any] = {
        "type": PROOF_TYPE,
        "cryptosuite": suite_for(key.public.kind).name,
        "created": rfc_3339(at),
        "verificationMethod": method,
        "proofPurpose": ASSERTION,
    }
    if domain:
        proof["domain"] = domain
    if "@context" in credential:
        proof["@context"] = credential["@context"]
    return {**proof, "proofValue": written_value(key.sign(signed_bytes(credential, proof)))}


def proofs_of(credential: Document) -> list[dict[str, Any]]:
    """Its proofs; one may stand alone.

    Raises:
        BadCredential: what is there are no proofs, or too many.
    """
    found = credential.get("proof", [])
    proofs = found if isinstance(found, list) else [found]
    if not all(isinstance(proof, dict) for proof in proofs):
        raise BadCredential("proof", "the proofs of a credential are no JSON objects")
    if len(proofs) > MOST:
        raise BadCredential(
            "proof", f"a credential with {len(proofs)} proofs is not looked at: {MOST} may be"
        )
    return proofs


def with_proofs(
    credential: Document, added: Sequence[Document], *, contexts: Sequence[str] = ()
) -> dict[str, Any]:
    """The credential with these proofs too, each once; those it has stay as they are.

    Args:
        credential: With the proofs it has.
        added: Those to add.
        contexts: What the added ones are explained by; appended, so that earlier proofs still hold.
    """
    proofs: list[Any] = list(proofs_of(credential))
    proofs += [dict(proof) for proof in added if proof not in proofs]
    named = credential.get("@context", [])
    named = list(named) if isinstance(named, list) else [named]
    named += [context for context in contexts if context not in named]
    return {**credential, **({"@context": named} if named else {}), "proof": proofs}


def check_proof(credential: Document, proof: Document, keys: Keys) -> None:
    """See that this proof holds for this credential.

    Raises:
        BadCredential: it does not; `rule` says why.
        Unavailable: its key cannot be fetched now.
    """
    suite, method = suite_of(proof), _method(proof)
    signature = suite.value(proof)
    key = keys.public_key(method)
    if key.kind not in suite.kinds:
        raise BadCredential("key", f"{suite.name} does not sign with {key.kind}, as {method[:120]!r} is")
    try:
        data = suite.signed(credential, proof, suite.kinds[key.kind])
    except MalformedJson as exc:
        raise BadCredential("json", f"a credential has no canonical form: {exc}") from exc
    if not key.verify(data, signature):
        raise BadCredential("signature", f"a proof of {method[:120]!r} is not of this credential")


def _method(proof: Document) -> str:
    """Which key the proof says it is of, if the rest of what it says can be."""
    if (purpose := proof.get("proofPurpose")) != ASSERTION:
        raise BadCredential("purpose", f"a proof is for {str(purpose)[:60]!r}, not for {ASSERTION}")
    if "previousProof" in proof:
        # In a chain a proof signs others, and dropping one goes unseen by those who know sets only.
        raise BadCredential("chain", "a proof depends on another: chains of proofs are not known here")
    _created_at(proof)
    method = proof.get("verificationMethod")
    if not isinstance(method, str):
        raise BadCredential("method", "a proof does not name its key (verificationMethod)")
    return method


@dataclass(frozen=True, slots=True)
class Outcome:
    """A proof, and why it does not hold, if it does not."""

    proof: dict[str, Any]
    error: BadCredential | None = None


def outcomes(credential: Document, keys: Keys) -> list[Outcome]:
    """Each proof looked at for itself.

    Raises:
        BadCredential: what is there are no proofs.
        Unavailable: a key cannot be fetched now, so nobody can tell.
    """
    return [_outcome(credential, proof, keys) for proof in proofs_of(credential)]


def _outcome(credential: Document, proof: dict[str, Any], keys: Keys) -> Outcome:
    try:
        check_proof(credential, proof, keys)
    except BadCredential as error:
        return Outcome(proof, error)
    return Outcome(proof)


def check(credential: Document, keys: Keys) -> list[dict[str, Any]]:
    """See that there is a proof that can be checked, and that all of those hold; they are returned.

    Raises:
        BadCredential: one does not, and the first of them is told; or none can be checked here.
        Unavailable: a key cannot be fetched now.
    """
    held = holding(credential, keys)
    if not held:
        raise BadCredential(
            UNKNOWN_SUITE, f"no proof on a credential can be checked here: those of {CHECKED} can"
        )
    return held


def holding(credential: Document, keys: Keys) -> list[dict[str, Any]]:
    """The proofs of suites that are known here, all of which hold. Of the others nobody here can tell.

    Raises:
        BadCredential: there is no proof, or one that does not hold.
        Unavailable: a key cannot be fetched now.
    """
    found = outcomes(credential, keys)
    if not found:
        raise BadCredential("proof", "a credential without a proof says nothing")
    for outcome in found:
        if outcome.error is not None and outcome.error.rule != UNKNOWN_SUITE:
            raise outcome.error
    return [outcome.proof for outcome in found if outcome.error is None]


def hosts_of(credential: Document) -> set[str]:
    """The domains whose keys its proofs name; whether they hold is another question."""
    return hosts_in(proofs_of(credential))


def hosts_in(proofs: Iterable[Document]) -> set[str]:
    """The same of some proofs. An anchor is its author's only if the author's domain is among them."""
    methods = [proof.get("verificationMethod") for proof in proofs]
    return {host for method in methods if isinstance(method, str) and (host := host_of(method))}


def is_timely(proof: Document, *, issued_at: float, ends_at: float, skew: float) -> bool:
    """Whether a proof was made after the credential and before the offer ended, give or take the clocks.

    Raises:
        BadCredential: it does not say when it was made.
    """
    return issued_at - skew <= _created_at(proof) <= ends_at + skew


def _created_at(proof: Document) -> float:
    try:
        return from_rfc_3339(proof.get("created"))
    except ValueError as exc:
        raise BadCredential("created", f"a proof does not say when it was made: {exc}") from exc
