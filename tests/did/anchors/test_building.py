from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.did.anchors.anchor import Anchor
from penstock.did.anchors.building import build, with_credential
from penstock.did.anchors.data_uri import JSON, content_of
from penstock.did.anchors.link import Link
from penstock.did.anchors.payload import Previous
from penstock.did.cas.hashlink import HashLink
from penstock.did.credentials.proofs import check, sign, with_proofs
from penstock.errors import BadAnchor, BadHashLink
from penstock.sidetree.canonical import canonical, parse
from tests.did.anchors.helpers import CREATED, DEACTIVATED, LINKSET, PAYLOAD, SERVICE, UPDATED, link, maker
from tests.did.credentials.helpers import AUTHOR, WITNESS, NamedKeys, method


def part(name: str) -> object:
    outer = Link.read(LINKSET, "it")
    target = getattr(outer, name)
    return parse(content_of(target.href, limit=100_000))


def bare(text: str) -> str:
    return HashLink.parse(text).bare


def test_the_original_has_the_dids_in_the_order_of_the_batch() -> None:
    before = bare(link("anchor 1"))
    assert part("original") == {
        "linkset": [
            {
                "anchor": bare(PAYLOAD.core_index),
                "author": [{"href": SERVICE}],
                "item": [
                    {"href": f"did:orb:uAAA:{CREATED}"},
                    {"href": f"did:orb:{before[3:]}:{UPDATED}", "previous": [before]},
                    {"href": f"did:orb:{before[3:]}:{DEACTIVATED}", "previous": [before]},
                ],
                "profile": [{"href": "https://w3id.org/orb#v0"}],
            }
        ]
    }


def test_the_anchor_is_the_hash_of_the_original() -> None:
    anchor = HashLink.of(canonical(part("original"))).bare
    assert LINKSET["linkset"][0]["anchor"] == anchor
    assert parse(canonical(LINKSET)) == LINKSET


def test_the_related_has_each_previous_anchor_once_with_its_hints() -> None:
    assert part("related") == {
        "linkset": [
            {
                "anchor": LINKSET["linkset"][0]["anchor"],
                "profile": [{"href": "https://w3id.org/orb#v0"}],
                "up": [{"href": link("anchor 1")}],
                "via": [{"href": PAYLOAD.core_index}],
            }
        ]
    }


def test_of_different_hints_for_one_anchor_the_first_are_told() -> None:
    name = HashLink.of(b"anchor 1").hash
    hints = [str(HashLink.to(name, [f"https://{host}.example"])) for host in "xy"]
    previous = [Previous(CREATED, hints[0]), Previous(UPDATED, hints[1])]
    assert Anchor.read(build(replace(PAYLOAD, previous=previous), maker())).parents == (hints[0],)


def test_creates_alone_have_no_previous_anchors() -> None:
    linkset = build(replace(PAYLOAD, previous=[Previous(CREATED)]), maker(), kind=JSON)
    assert Anchor.read(linkset).parents == ()


def test_the_same_batch_has_the_same_bytes_and_another_order_is_another_anchor() -> None:
    assert canonical(build(PAYLOAD, maker())) == canonical(LINKSET)
    other = build(replace(PAYLOAD, previous=list(reversed(PAYLOAD.previous))), maker())
    assert other["linkset"][0]["anchor"] != LINKSET["linkset"][0]["anchor"]


def test_the_way_its_parts_are_written_does_not_change_the_anchor() -> None:
    assert build(PAYLOAD, maker(), kind=JSON)["linkset"][0]["anchor"] == LINKSET["linkset"][0]["anchor"]


def test_witnesses_sign_and_the_anchor_stays_the_same() -> None:
    linkset = LINKSET
    for key in (AUTHOR, WITNESS):
        credential = Anchor.read(linkset).credential.document
        proof = sign(credential, key, method=method(key), at=1_700_000_001.0)
        linkset = with_credential(linkset, with_proofs(credential, [proof]))
    witnessed = Anchor.read(linkset)
    check(witnessed.credential.document, NamedKeys())
    assert len(witnessed.credential.document["proof"]) == 2
    assert witnessed.uri == Anchor.read(LINKSET).uri
    assert witnessed.hash != Anchor.read(LINKSET).hash
    assert witnessed.payload == Anchor.read(LINKSET).payload


def test_an_anchor_is_about_something() -> None:
    with pytest.raises(BadAnchor, match="one operation at least"):
        build(replace(PAYLOAD, previous=[]), maker())


def test_what_is_no_hashlink_cannot_be_anchored() -> None:
    with pytest.raises(BadHashLink):
        build(replace(PAYLOAD, core_index="uEi"), maker())
    with pytest.raises(BadHashLink):
        build(replace(PAYLOAD, previous=[Previous(CREATED, "hl:x")]), maker())
