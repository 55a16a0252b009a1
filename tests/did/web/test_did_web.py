from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.operations import OPERATIONS, StoredResolver, add_operations
from penstock.did.web.did_web import WebDidPages, WebDids
from penstock.errors import BadDid, UnknownDid
from penstock.sidetree.did import long_form
from tests.did.operation_queue.helpers import run
from tests.did.web.helpers import ask
from tests.sidetree.lives import NOW, Life, anchored

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

HOST = "did:web:orb.example%3A8326:scid"


@pytest.fixture
def dids(memory: DomainDatabase) -> WebDids:
    memory.create(OPERATIONS)
    return WebDids(StoredResolver(memory, clock=VirtualClock(NOW)), "https://orb.example:8326")


@pytest.fixture
def life(memory: DomainDatabase, dids: WebDids) -> Life:
    life = Life()
    memory.do(add_operations, [anchored(life.create(), life.suffix, 10)])
    return life


def test_a_did_is_found_where_did_web_looks_for_it(dids: WebDids, life: Life) -> None:
    found = ask(WebDidPages(dids).routes(), "GET", f"/scid/{life.suffix}/did.json")
    assert (found.status, found.headers["content-type"]) == (200, "application/did+ld+json")
    document, did = found.json, f"{HOST}:{life.suffix}"
    assert document["id"] == did
    [key] = document["verificationMethod"]
    assert key["controller"] == did
    assert key["id"].startswith(f"{did}#")
    first = run(dids.resolve(f"did:orb:uAAA:{life.suffix}"))
    assert document["alsoKnownAs"][0] == first["didDocumentMetadata"]["canonicalId"]
    # All else is as it was.
    assert key["publicKeyJwk"] == first["didDocument"]["verificationMethod"][0]["publicKeyJwk"]


def test_it_is_resolved_by_that_name_and_by_its_own(dids: WebDids, life: Life) -> None:
    found = run(dids.resolve(f"{HOST}:{life.suffix}"))
    assert found["didDocument"]["id"] == f"{HOST}:{life.suffix}"
    # Names of another method are no names for this one, but what it is also known by.
    assert not {"canonicalId", "equivalentId"} & found["didDocumentMetadata"].keys()
    assert found["didDocumentMetadata"]["versionId"] == "uAnchor10"
    own = f"did:orb:uAnchor10:{life.suffix}"
    assert run(dids.resolve(own))["didDocument"]["id"] == own
    assert run(dids.state_of(life.suffix)) is not None


def test_its_other_names_stay_in_their_order(dids: WebDids, life: Life, memory: DomainDatabase) -> None:
    # Clients of Orb make the one document of the other, and want them alike to the letter.
    did, blog = f"{HOST}:{life.suffix}", "https://blog.example/"
    known = {"action": "add-also-known-as", "uris": [did, blog]}
    memory.do(add_operations, [anchored(life.update(known), life.suffix, 20)])
    own = f"did:orb:uAnchor10:{life.suffix}"
    assert run(dids.resolve(own))["didDocument"]["alsoKnownAs"] == [did, blog]
    assert run(dids.resolve(did))["didDocument"]["alsoKnownAs"] == [own, blog]


def test_who_is_deactivated_or_unknown_is_not_found(
    dids: WebDids, life: Life, memory: DomainDatabase
) -> None:
    nobody = Life("nobody")
    nobody.create()
    memory.do(add_operations, [anchored(life.deactivate(), life.suffix, 20)])
    for each in (life, nobody):
        with pytest.raises(UnknownDid):
            run(dids.resolve(f"{HOST}:{each.suffix}"))
        assert ask(WebDidPages(dids).routes(), "GET", f"/scid/{each.suffix}/did.json").status == 404


@pytest.mark.parametrize("suffix", ["", "x", "uAAA:x", "../../x"])
def test_by_a_name_that_no_did_can_have_there_is_none(dids: WebDids, suffix: str) -> None:
    with pytest.raises(UnknownDid):
        run(dids.resolve(f"{HOST}:{suffix}"))


def test_whoever_looks_where_no_document_can_be_finds_none(dids: WebDids) -> None:
    # As Orb answers; 400 would say that the file is there, and was asked for in a wrong way.
    assert ask(WebDidPages(dids).routes(), "GET", "/scid/non-existent/did.json").status == 404


def test_dids_of_other_domains_are_not_resolved(dids: WebDids, life: Life) -> None:
    with pytest.raises(BadDid):
        run(dids.resolve(f"did:web:other.example:scid:{life.suffix}"))


def test_by_that_name_there_are_no_long_forms(dids: WebDids) -> None:
    nobody = Life("nobody")
    create = json.loads(nobody.create())
    names = [long_form(f"{before}:{nobody.suffix}", create) for before in ("did:orb:uAAA", HOST)]
    assert run(dids.resolve(names[0]))["didDocument"]["id"] == names[0]
    with pytest.raises(UnknownDid):
        run(dids.resolve(names[1]))
