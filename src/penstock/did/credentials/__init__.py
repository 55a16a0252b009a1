"""The verifiable credential of an anchor: signed by its author and by witnesses, and checked by everybody.

    credential = anchor_credential(name=…, issuer=…, at=…, anchor=…, core_index=…)
    credential = with_proofs(credential, [sign(credential, key, method=…, at=…)])
    check(credential, keys)

Pure, but for `Keys`, the port that public keys come from.
"""

from penstock.did.credentials.credential import PROFILE, AnchorCredential, anchor_credential
from penstock.did.credentials.fetched import FetchedKeys
from penstock.did.credentials.keys import ED25519, P_256, PublicKey, SigningKey
from penstock.did.credentials.methods import (
    ASSERTION,
    KEY_FRAGMENT,
    Keys,
    did_key,
    did_web,
    document_of,
    document_url,
    domain_of,
    host_of,
    key_in,
    key_of_did_key,
)
from penstock.did.credentials.proofs import (
    Outcome,
    check,
    check_proof,
    holding,
    hosts_in,
    hosts_of,
    is_timely,
    outcomes,
    proofs_of,
    sign,
    with_proofs,
)

__all__ = [
    "ASSERTION",
    "ED25519",
    "KEY_FRAGMENT",
    "PROFILE",
    "P_256",
    "AnchorCredential",
    "FetchedKeys",
    "Keys",
    "Outcome",
    "PublicKey",
    "SigningKey",
    "anchor_credential",
    "check",
    "check_proof",
    "did_key",
    "did_web",
    "document_of",
    "document_url",
    "domain_of",
    "holding",
    "host_of",
    "hosts_in",
    "hosts_of",
    "is_timely",
    "key_in",
    "key_of_did_key",
    "outcomes",
    "proofs_of",
    "sign",
    "with_proofs",
]
