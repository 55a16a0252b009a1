from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from penstock.clock import VirtualClock
from penstock.did.activities import PUBLIC, Activity, Jrd, like
from penstock.did.anchoring import ANCHORING
from penstock.did.anchoring.links import put_copy
from penstock.did.cas import ContentStorage, HashLink, StoredContents
from penstock.did.cas.remote import JRD_LIMIT
from penstock.did.credentials import SigningKey, key_in
from penstock.did.federation import FEDERATION
from penstock.did.federation.archive import OUTBOX, keep_activity
from penstock.did.operations import OPERATIONS, StoredResolver, add_operations
from penstock.did.web.discovery import COPIES, DiscoveryPages
from penstock.sidetree.did import long_form
from tests.did.federation.helpers import EVENT, A, B
from tests.did.web.helpers import ask, writings
from tests.sidetree.lives import NOW, ORIGIN, Life, anchored

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.routing import Route

    from penstock.did.database import DomainDatabase

KEY = SigningKey.generate()


@pytest.fixture
def cas(tmp_path: Path) -> ContentStorage:
    return ContentStorage(StoredContents(str(tmp_path)), links_at=f"{A.base}/cas")


@pytest.fixture
def routes(memory: DomainDatabase, cas: ContentStorage) -> list[Route]:
    memory.create(FEDERATION, OPERATIONS, ANCHORING)
    resolver = StoredResolver(memory, clock=VirtualClock(NOW))
    return DiscoveryPages(memory, A, KEY.public, cas, resolver).routes()


def finger(routes: list[Route], resource: str) -> Jrd | int:
    found = ask(routes, "GET", f"/.well-known/webfinger?resource={quote(resource, safe='')}")
    if found.status != 200:
        return found.status
    assert found.headers["content-type"] == "application/jrd+json"
    return Jrd.read(found.body)


@pytest.mark.parametrize("resource", [A.base, A.service])
def test_the_domain_tells_where_its_service_is(routes: list[Route], resource: str) -> None:
    found = finger(routes, resource)
    assert isinstance(found, Jrd)
    assert (found.subject, found.target) == (resource, A.service)


def test_a_content_is_found_if_it_is_here(routes: list[Route], cas: ContentStorage) -> None:
    place = f"{A.base}/cas/{cas.put(b'a file').hash}"
    found = finger(routes, place)
    assert isinstance(found, Jrd)
    assert found.target == place
    assert finger(routes, f"{A.base}/cas/uAnother") == 404


def test_who_only_looks_keeps_nobody_who_writes_waiting(
    routes: list[Route], memory: DomainDatabase, cas: ContentStorage
) -> None:
    place = f"{A.base}/cas/{cas.put(b'a file').hash}"
    begun = writings(memory)
    assert isinstance(finger(routes, place), Jrd)
    assert ask(routes, "GET", "/nodeinfo/2.0").status == 200
    assert begun == []


def test_a_did_is_found_if_it_is_anchored(routes: list[Route], memory: DomainDatabase) -> None:
    life = Life()
    create = life.create()
    did = f"did:orb:uAAA:{life.suffix}"
    for name in (did, long_form(did, json.loads(create))):
        assert finger(routes, name) == 404
    memory.do(add_operations, [anchored(create, life.suffix, 10, anchor_origin=ORIGIN)])
    found = finger(routes, did)
    assert isinstance(found, Jrd)
    assert found.subject == f"did:orb:uAnchor10:{life.suffix}"
    assert found.href("via") == "hl:uAnchor10"
    assert found.properties["https://trustbloc.dev/ns/anchor-origin"] == ORIGIN


def test_clients_of_orb_find_their_way(routes: list[Route]) -> None:
    # As the orb client does: where to turn to, then what is known of it.
    told = ask(routes, "GET", "/.well-known/did-orb").json
    assert told == {
        "resolutionEndpoint": f"{A.base}/sidetree/v1/identifiers",
        "operationEndpoint": f"{A.base}/sidetree/v1/operations",
    }
    resolution, operations = (finger(routes, endpoint) for endpoint in told.values())
    assert isinstance(resolution, Jrd)
    assert isinstance(operations, Jrd)
    assert resolution.properties["https://trustbloc.dev/ns/min-resolvers"] == 1
    assert operations.target == told["operationEndpoint"]


@pytest.mark.parametrize("path", ["/.well-known/host-meta", "/.well-known/host-meta.json"])
def test_domains_of_orb_find_the_service(routes: list[Route], path: str) -> None:
    found = ask(routes, "GET", path)
    assert found.headers["content-type"] == "application/json"
    assert Jrd.read(found.body).href("self", "application/activity+json") == A.service


def test_those_who_like_an_anchor_are_told_with_their_copies_of_it(
    routes: list[Route], cas: ContentStorage, memory: DomainDatabase
) -> None:
    # Given an anchor that B and C have observed, and C says where its copy is in a way that leads nowhere.
    anchor, life = cas.put(b"an anchor").hash, Life()
    memory.do(add_operations, [anchored(life.create(), life.suffix, 10, reference=anchor)])
    for owner, hints in [("b", [f"{B.base}/cas/{anchor}", "ipfs://x"]), ("c", ["https://["])]:
        memory.do(put_copy, owner, HashLink.to(anchor, hints))
    of_content = finger(routes, f"{A.base}/cas/{anchor}")
    assert isinstance(of_content, Jrd)
    copies = [link.href for link in of_content.links if link.rel == "alternate"]
    assert copies == [f"{B.base}/cas/{anchor}"]
    of_did = finger(routes, did := f"did:orb:{anchor}:{life.suffix}")
    assert isinstance(of_did, Jrd)
    others = [link.href for link in of_did.links if link.rel == "alternate"]
    assert others == [f"{B.base}/sidetree/v1/identifiers/{did}"]


def test_however_many_like_an_anchor_the_answer_can_be_read(
    routes: list[Route], cas: ContentStorage, memory: DomainDatabase
) -> None:
    name = cas.put(b"an anchor").hash
    hints = [f"https://b.example/{letter * 490}" for letter in "abcde"]
    memory.do(put_copy, "a", HashLink.to(name, ["https://b.example/" + "x" * 2000, hints[0]]))
    for number in range(60):
        memory.do(put_copy, f"b{number}", HashLink.to(name, [f"{hint}{number}" for hint in hints]))
    found = ask(routes, "GET", f"/.well-known/webfinger?resource={A.base}/cas/{name}")
    copies = [link.href for link in Jrd.read(found.body).links if link.rel == "alternate"]
    assert (len(found.body) < JRD_LIMIT, len(copies), copies[0]) == (True, COPIES, hints[0])


@pytest.mark.parametrize("resource", ["https://b.example", "did:orb:x", "x", "did:ion:x"])
def test_what_is_not_here_is_not_found(routes: list[Route], resource: str) -> None:
    assert finger(routes, resource) == 404


@pytest.mark.parametrize("query", ["", "?resource=", "?rel=self"])
def test_a_question_names_a_resource(routes: list[Route], query: str) -> None:
    assert ask(routes, "GET", f"/.well-known/webfinger{query}").status == 400


def test_node_info_counts_what_the_domain_has_posted(routes: list[Route], memory: DomainDatabase) -> None:
    told = like(name=A.activity("1"), actor=A.service, to=[PUBLIC], liked=EVENT, at=1.0)
    memory.do(keep_activity, OUTBOX, Activity.read(told), at=1.0)
    links = ask(routes, "GET", "/.well-known/nodeinfo").json["links"]
    for link in links:
        found = ask(routes, "GET", link["href"].removeprefix(A.base))
        assert "schema" in found.headers["content-type"]
        assert found.json["usage"] == {"users": {"total": 1}, "localPosts": 0, "localComments": 1}
    assert ask(routes, "GET", "/nodeinfo/3.0").status == 404


def test_the_domains_key_is_in_its_document(routes: list[Route]) -> None:
    document = ask(routes, "GET", "/.well-known/did.json").json
    assert key_in(document, "did:web:a.example#main") == KEY.public
