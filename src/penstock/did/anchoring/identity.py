"""Who a domain is when it anchors and witnesses: its names, and the key that it signs with. Pure.

Activities about an anchor have names that are made of what they are about. So whatever is done again after a
crash is the same activity, and whoever has received it before ignores it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.did.credentials.credential import anchor_credential
from penstock.did.credentials.proofs import sign, with_proofs
from penstock.sidetree.base64url import encode
from penstock.sidetree.multihash import multihash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.did.credentials.keys import SigningKey

__all__ = ["Identity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A domain's own names and key."""

    #: The IRI of its service.
    service: str
    #: Its URL, without a path: https://orb.example.com
    base: str
    key: SigningKey
    #: Where others find the public key: the verification method of its proofs.
    method: str

    @property
    def followers(self) -> str:
        """The collection of those who are told of its anchors."""
        return f"{self.service}/followers"

    def is_me(self, iri: str) -> bool:
        """Whether an IRI is this domain's: its service, or the domain as such."""
        return iri.rstrip("/") in {self.service, self.base}

    def activity_name(self, kind: str, about: str) -> str:
        """The IRI of this domain's activity of that kind about something."""
        return f"{self.service}/activities/{kind}-{encode(multihash(about.encode()))}"

    def proof(self, credential: Mapping[str, Any], *, at: float) -> dict[str, Any]:
        """This domain's proof on a credential, its own or another's."""
        return sign(credential, self.key, method=self.method, at=at, domain=self.base)

    def credential(self, anchor: str, core_index: str, *, at: float) -> dict[str, Any]:
        """The credential of an anchor of its own, signed."""
        plain = anchor_credential(
            # An anchor has one credential: its name tells which, and is the same if it is made again.
            name=f"{self.base}/vc/{anchor.removeprefix('hl:')}",
            issuer=self.base,
            at=at,
            anchor=anchor,
            core_index=core_index,
        )
        return with_proofs(plain, [self.proof(plain, at=at)])
