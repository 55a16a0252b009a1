from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.operations import StoredResolver
from penstock.did.web.did_web import WebDids
from penstock.did.web.sidetree import SidetreePages
from penstock.errors import PublishLost, StoreError
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.did import long_form
from tests.did.web.helpers import ask
from tests.did.web.test_intake import Door, created
from tests.sidetree.lives import NOW, Life, changed

if TYPE_CHECKING:
    from starlette.routing import Route

    from penstock.did.database import DomainDatabase

POST = "/sidetree/v1/operations"
GET = "/sidetree/v1/identifiers"


@pytest.fixture
def door(memory: DomainDatabase) -> Door:
    return Door(memory)


@pytest.fixture
def wondered() -> list[str]:
    return []


@pytest.fixture
def routes(door: Door, wondered: list[str]) -> list[Route]:
    async def wonder(did: str) -> None:
        wondered.append(did)

    resolver = StoredResolver(door.database, clock=VirtualClock(NOW))
    return SidetreePages(door.intake, resolver, wonder).routes()


def test_operations_are_posted(routes: list[Route], door: Door) -> None:
    life = Life()
    found = ask(routes, "POST", POST, body=life.create())
    assert (found.status, found.headers["content-type"]) == (200, "application/did+ld+json")
    assert found.json["didDocument"]["id"] == f"did:orb:uAAA:{life.suffix}"
    found = ask(routes, "POST", POST, body=created(door).update())
    assert (found.status, found.body) == (200, b"")
    assert [each.type for each in door.added] == ["create", "update"]


CREATE = Life("carol").create()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"{}", 400),
        (b"\xff", 400),
        (b"null", 400),
        (b"[" * 3000, 400),
        (b'{"type":"create","type":"create"}', 400),
        (b'{"type":"shout"}', 400),
        (canonical({**parse(CREATE), "more": 1}), 400),
        (changed(CREATE, suffixData=None), 400),
        (changed(CREATE, delta={}), 400),
        (changed(CREATE, delta=None), 400),
        (b" " * 5000 + CREATE, 400),
        (b" " * 70_000, 413),
        (Life("nobody's").update(), 400),
    ],
)
def test_bad_requests_are_refused_with_a_reason(
    routes: list[Route], door: Door, body: bytes, status: int
) -> None:
    found = ask(routes, "POST", POST, body=body)
    assert found.status == status
    assert found.json["reason"]
    assert not door.added


@pytest.mark.parametrize(("error", "status"), [(PublishLost("x"), 503), (StoreError("x"), 503)])
def test_what_was_not_added_was_not_accepted(
    routes: list[Route], door: Door, error: Exception, status: int
) -> None:
    door.error = error
    assert ask(routes, "POST", POST, body=CREATE).status == status


def test_a_did_is_resolved(routes: list[Route], door: Door) -> None:
    did = f"did:orb:uAAA:{created(door).suffix}"
    for query in ("", "?versionId=uAnchor10", "?versionTime=2022-05-10T17:00:00Z"):
        found = ask(routes, "GET", f"{GET}/{did}{query}")
        assert (found.status, found.headers["content-type"]) == (200, "application/did+ld+json")
        assert found.json["didDocument"]["id"] == did
        assert found.json["didDocumentMetadata"]["versionId"] == "uAnchor10"


def test_a_did_with_an_anchor_that_is_not_known_is_looked_for(
    routes: list[Route], door: Door, wondered: list[str]
) -> None:
    did = f"did:orb:https:b.example:uAnchor20:{created(door).suffix}"
    assert ask(routes, "GET", f"{GET}/{did}").status == 404
    assert wondered == [did]


def test_a_long_form_is_resolved(routes: list[Route], wondered: list[str]) -> None:
    life = Life("dave")
    did = long_form(f"did:orb:uAAA:{life.suffix}", parse(life.create()))
    did = did.replace("uAAA::", f"uAAA:{life.suffix}:")
    assert ask(routes, "GET", f"{GET}/{did}").json["didDocument"]["id"] == did
    assert not wondered


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("versionId=uNever", 404),
        ("versionTime=1970-01-01T00:00:09Z", 404),
        ("versionTime=yesterday", 400),
        ("versionTime=2022-05-10T17:00:00", 400),
        ("versionTime=2022-05-10T17:00:00Z&versionId=uAnchor10", 400),
    ],
)
def test_a_version_that_never_was_is_not_found(
    routes: list[Route], door: Door, query: str, status: int
) -> None:
    found = ask(routes, "GET", f"{GET}/did:orb:uAAA:{created(door).suffix}?{query}")
    assert found.status == status
    assert found.json["reason"]


def test_a_did_that_is_not_known_is_wondered_about(routes: list[Route], wondered: list[str]) -> None:
    life = Life("erin")
    life.create()
    did = f"did:orb:uAnchor:{life.suffix}"
    assert ask(routes, "GET", f"{GET}/{did}").status == 404
    assert wondered == [did]


def test_nobody_wonders_about_a_second_name(memory: DomainDatabase, door: Door, wondered: list[str]) -> None:
    async def wonder(did: str) -> None:
        wondered.append(did)

    dids = WebDids(StoredResolver(memory, clock=VirtualClock(NOW)), "https://a.example")
    routes = SidetreePages(door.intake, dids, wonder).routes()
    life = Life("erin")
    life.create()
    assert ask(routes, "GET", f"{GET}/did:web:a.example:scid:{life.suffix}").status == 404
    assert not wondered


@pytest.mark.parametrize("did", ["", "x", "did:ion:x", "did:orb:uAAA:x", "did:orb:uAAA:../../x"])
def test_what_is_no_did_is_refused(routes: list[Route], wondered: list[str], did: str) -> None:
    assert ask(routes, "GET", f"{GET}/{did}").status == 400
    assert not wondered
