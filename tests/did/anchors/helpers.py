"""What the tests of anchors share: a batch, and its linkset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.did.anchors.building import build
from penstock.did.anchors.payload import Payload, Previous
from penstock.did.cas.hashlink import HashLink
from penstock.did.credentials.credential import anchor_credential
from penstock.sidetree.base64url import encode
from penstock.sidetree.multihash import multihash

if TYPE_CHECKING:
    from penstock.did.anchors.building import CredentialMaker

SERVICE = "https://a.example/services/orb"
ISSUED = 1_700_000_000.0


def suffix(name: str) -> str:
    return encode(multihash(name.encode()))


def link(name: str) -> str:
    """A hashlink with a hint."""
    found = HashLink.of(name.encode())
    return str(HashLink.to(found.hash, [f"https://a.example/cas/{found.hash}"]))


CREATED, UPDATED, DEACTIVATED = suffix("created"), suffix("updated"), suffix("deactivated")
PAYLOAD = Payload(
    core_index=link("core index"),
    previous=[
        Previous(CREATED),
        Previous(UPDATED, link("anchor 1")),
        Previous(DEACTIVATED, link("anchor 1")),
    ],
    origin=SERVICE,
)


def maker() -> CredentialMaker:
    def make(anchor: str, core_index: str) -> dict[str, Any]:
        return anchor_credential(
            name="https://a.example/vc/1",
            issuer="https://a.example",
            at=ISSUED,
            anchor=anchor,
            core_index=core_index,
        )

    return make


LINKSET = build(PAYLOAD, maker())
