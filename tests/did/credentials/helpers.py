"""What the tests of credentials share: keys, and where they are found."""

from __future__ import annotations

from dataclasses import dataclass, field

from penstock.did.credentials.credential import anchor_credential
from penstock.did.credentials.keys import ED25519, P_256, PublicKey, SigningKey
from penstock.did.credentials.methods import did_key, key_of_did_key
from penstock.errors import Unavailable

AUTHOR, WITNESS = SigningKey.generate(ED25519), SigningKey.generate(P_256)
ISSUED = 1_700_000_000.0
CREDENTIAL = anchor_credential(
    name="https://orb.example.com/vc/1",
    issuer="https://orb.example.com",
    at=ISSUED,
    anchor="hl:uEiOriginal",
    core_index="hl:uEiCoreIndex",
)


def method(key: SigningKey) -> str:
    return did_key(key.public)


@dataclass
class NamedKeys:
    """Keys that are their own names, and how often one was asked for."""

    asked: list[str] = field(default_factory=list)

    def public_key(self, method: str) -> PublicKey:
        self.asked.append(method)
        key = key_of_did_key(method)
        if key is None:
            raise Unavailable(f"{method} cannot be fetched")
        return key
