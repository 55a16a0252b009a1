"""What an anchor tells of a DID's operation: its batch, what came before it, and who vouches for it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.did.anchors import Anchor
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import HashLink
from penstock.did.credentials.proofs import proofs_of
from penstock.errors import ContentForged

__all__ = ["AnchorStory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorStory:
    """An anchor, as far as a holder cares."""

    #: The hash of its linkset.
    name: str
    #: Who anchored: the IRI of a service.
    author: str
    issued_at: float
    #: How many operations are in the batch.
    operations: int
    #: The hash of the anchor of the DID's operation before; empty for a create.
    previous: str
    #: The DIDs of those who have signed, the author among them.
    signers: tuple[str, ...]

    @classmethod
    def of(cls, name: str, linkset: bytes, suffix: str) -> AnchorStory:
        """What a linkset tells of a DID.

        Args:
            name: Its hash.
            linkset: As it was fetched from anybody.
            suffix: The DID's.

        Raises:
            ContentForged: it is not what its name says.
            BadAnchor, BadCredential: it breaks a rule.
        """
        if resource_hash(linkset) != name:
            raise ContentForged(f"what was fetched as {name} is something else")
        anchor = Anchor.parse(linkset)
        before = next((each.anchor for each in anchor.payload.previous if each.suffix == suffix), "")
        methods = [str(proof.get("verificationMethod")) for proof in proofs_of(anchor.credential.document)]
        return cls(
            name=name,
            author=anchor.author,
            issued_at=anchor.credential.issued_at,
            operations=anchor.payload.operation_count,
            previous=HashLink.parse(before).hash if before else "",
            signers=tuple(dict.fromkeys(method.partition("#")[0] for method in methods)),
        )
