from __future__ import annotations

import pytest

from penstock.did.anchors import build
from penstock.did.cas.hashes import resource_hash
from penstock.did.cas.hashlink import HashLink
from penstock.did.client.story import AnchorStory
from penstock.errors import BadAnchor, ContentForged
from penstock.sidetree.canonical import canonical
from tests.did.anchors.helpers import CREATED, ISSUED, PAYLOAD, SERVICE, UPDATED, link, maker

PROOFS = [{"verificationMethod": f"did:web:{name}.example#main"} for name in ("a", "b", "a")]


def linkset() -> bytes:
    def signed(anchor: str, core_index: str) -> dict[str, object]:
        return {**maker()(anchor, core_index), "proof": PROOFS}

    return canonical(build(PAYLOAD, signed))


def test_an_anchor_tells_of_the_batch_and_of_who_vouches_for_it() -> None:
    data = linkset()
    name = resource_hash(data)
    created = AnchorStory.of(name, data, CREATED)
    assert created == AnchorStory(
        name=name,
        author=SERVICE,
        issued_at=ISSUED,
        operations=3,
        previous="",
        signers=("did:web:a.example", "did:web:b.example"),
    )
    before = HashLink.parse(link("anchor 1")).hash
    assert AnchorStory.of(name, data, UPDATED).previous == before


def test_what_is_not_what_its_name_says_is_not_believed() -> None:
    with pytest.raises(ContentForged):
        AnchorStory.of(resource_hash(b"other"), linkset(), CREATED)
    with pytest.raises(BadAnchor):
        AnchorStory.of(resource_hash(b"{}"), b"{}", CREATED)
