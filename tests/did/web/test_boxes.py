from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from penstock.did.activities import (
    PUBLIC,
    Activity,
    Actor,
    Collection,
    KeyDocument,
    Request,
    follow,
    like,
    owner_of,
)
from penstock.did.cas import HashLink
from penstock.did.credentials import SigningKey
from penstock.did.federation import FEDERATION
from penstock.did.federation.archive import INBOX, OUTBOX, keep_activity
from penstock.did.federation.membership import FOLLOWERS, LIKES, SHARES, add_member
from penstock.did.web.boxes import ServicePages
from penstock.did.web.room import SMALL
from penstock.errors import BadHttpSignature, NotConnected, Unavailable
from penstock.sidetree.canonical import canonical
from tests.did.federation.helpers import EVENT, A, B
from tests.did.web.helpers import ask, writings

if TYPE_CHECKING:
    from starlette.routing import Route

    from penstock.did.database import DomainDatabase

KEY = SigningKey.generate()
SERVICE = "/services/orb"


class PaperInbox:
    """Lets everything in, unless it is told to fail."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.error: Exception | None = None

    async def admit(self, request: Request) -> None:
        Activity.parse(request.body)
        if self.error:
            raise self.error
        self.requests.append(request)


@pytest.fixture
def inbox() -> PaperInbox:
    return PaperInbox()


@pytest.fixture
def pages(memory: DomainDatabase, inbox: Any) -> ServicePages:
    memory.create(FEDERATION)
    return ServicePages(memory, A, KEY.public, inbox)


@pytest.fixture
def routes(pages: ServicePages) -> list[Route]:
    return pages.routes()


def keep(database: DomainDatabase, number: int, *, box: str = OUTBOX, to: str = PUBLIC, **more: str) -> Any:
    told = like(name=A.activity(f"{number}"), actor=A.service, to=[to], liked=EVENT, at=1.0) | more
    database.do(keep_activity, box, Activity.read(told), at=1.0)
    return told


@pytest.mark.parametrize(
    "path", ["outbox", "outbox?page=true", "activities/1", "followers", "likes?page=true&id=x"]
)
def test_who_only_looks_keeps_nobody_who_writes_waiting(
    routes: list[Route], memory: DomainDatabase, path: str
) -> None:
    keep(memory, 1)
    begun = writings(memory)
    assert ask(routes, "GET", f"{SERVICE}/{path}").status == 200
    assert begun == []


def test_a_service_and_its_key_belong_together(routes: list[Route]) -> None:
    actor = Actor.parse(ask(routes, "GET", SERVICE).body)
    key = KeyDocument.parse(ask(routes, "GET", f"{SERVICE}/keys/main-key").body)
    assert owner_of(key, actor) == A.service
    assert key.key == KEY.public
    # Every place that the service names is there.
    for place in actor.places.values():
        assert ask(routes, "GET", place.removeprefix(A.base)).status == 200
    assert ask(routes, "GET", f"{SERVICE}/keys/another").status == 404


def test_a_box_shows_what_is_for_everybody_page_by_page(routes: list[Route], memory: DomainDatabase) -> None:
    keep(memory, 100, to=B.service)
    keep(memory, 101, box=INBOX)
    told = [keep(memory, number) for number in range(60)]
    outbox = ask(routes, "GET", f"{SERVICE}/outbox")
    assert outbox.headers["content-type"].startswith("application/ld+json")
    found: list[Any] = []
    at = Collection.parse(outbox.body).first
    while at:
        page = Collection.parse(ask(routes, "GET", at.removeprefix(A.base)).body)
        assert page.total == 60
        found += page.entries
        at = page.next
    assert found == told[::-1]
    inbox = ask(routes, "GET", f"{SERVICE}/inbox?page=true").json
    assert [each["id"] for each in inbox["orderedItems"]] == [A.activity("101")]


def test_collections_are_shown_page_by_page(routes: list[Route], memory: DomainDatabase) -> None:
    for number in range(55):
        memory.do(add_member, FOLLOWERS, f"f{number}", at=1.0)
    assert ask(routes, "GET", f"{SERVICE}/followers").json["totalItems"] == 55
    assert ask(routes, "GET", f"{SERVICE}/followers?page=true").json["items"][0] == "f0"
    page = ask(routes, "GET", f"{SERVICE}/followers?page=true&page-num=1").json
    assert page["items"] == [f"f{number}" for number in range(50, 55)]
    assert ask(routes, "GET", f"{SERVICE}/followers?page=true&page-num=2").json["items"] == []
    assert ask(routes, "GET", f"{SERVICE}/followers?page=true&page-num=x").status == 400


def test_likes_are_shown_by_anchor_or_all(routes: list[Route], memory: DomainDatabase) -> None:
    for anchor, name in [("x", "1"), ("y", "2")]:
        memory.do(add_member, LIKES, name, at=1.0, subject=anchor)
    assert ask(routes, "GET", f"{SERVICE}/likes?page=true").json["orderedItems"] == ["1", "2"]
    assert ask(routes, "GET", f"{SERVICE}/likes?id=y&page=true").json["orderedItems"] == ["2"]


@pytest.mark.parametrize("collection", [LIKES, SHARES])
def test_likes_and_shares_of_an_anchor_stand_under_its_hashlink(
    routes: list[Route], memory: DomainDatabase, collection: str
) -> None:
    link = HashLink.to(EVENT.url.hash, ["https://b.example/cas/x"])
    for anchor, name in [(link.hash, "1"), ("another", "2")]:
        memory.do(add_member, collection, name, at=1.0, subject=anchor)
    # As Orb asks, and as ours once did; hints make no other anchor of it.
    for asked in (f"/{quote(str(link))}", f"/{link.bare}", f"/{link.hash}", f"?id={quote(link.bare)}"):
        found = ask(routes, "GET", f"{SERVICE}/{collection}{asked}").json
        assert found["totalItems"] == 1
        page = ask(routes, "GET", found["first"].removeprefix(A.base)).json
        assert page["orderedItems"] == ["1"]
    assert ask(routes, "GET", f"{SERVICE}/{collection}/hl:x").status == 400


def test_an_activity_is_shown_if_it_is_for_everybody(routes: list[Route], memory: DomainDatabase) -> None:
    told = keep(memory, 1)
    keep(memory, 2, to=B.service)
    assert ask(routes, "GET", f"{SERVICE}/activities/1").json == told
    for number in (2, 3):
        assert ask(routes, "GET", f"{SERVICE}/activities/{number}").status == 404


def test_large_activities_share_a_room_coming_and_going(
    pages: ServicePages, routes: list[Route], memory: DomainDatabase
) -> None:
    for number in (1, 2):
        keep(memory, number, more="x" * SMALL)
    told = keep(memory, 3, more="x" * (SMALL // 2))
    keep(memory, 4, more="x" * (SMALL // 2))
    for target in ("activities/1", "outbox?page=true"):
        assert ask(routes, "GET", f"{SERVICE}/{target}").status == 200
    assert ask(routes, "POST", f"{SERVICE}/inbox", body=canonical(told)).status == 200
    pages._going.left = pages._coming.left = 0
    for target in ("activities/1", "outbox?page=true"):
        assert ask(routes, "GET", f"{SERVICE}/{target}").status == 503
    assert ask(routes, "GET", f"{SERVICE}/activities/3").json == told
    assert ask(routes, "POST", f"{SERVICE}/inbox", body=canonical(told)).status == 200
    assert ask(routes, "POST", f"{SERVICE}/inbox", body=b" " * (SMALL + 1)).status == 503


def test_the_inbox_sees_a_request_as_it_was_signed(routes: list[Route], inbox: PaperInbox) -> None:
    body = b'{"type":"Follow","id":"1","actor":"x","object":"y"}'
    found = ask(routes, "POST", f"{SERVICE}/inbox?a=%20b", body=body, headers={"Signature": "s"})
    assert (found.status, found.body) == (200, b"")
    (request,) = inbox.requests
    assert (request.method, request.target, request.body) == ("POST", f"{SERVICE}/inbox?a=%20b", body)
    assert request.header("signature") == "s"


@pytest.mark.parametrize(
    ("error", "status"),
    [(BadHttpSignature("unsigned", "no"), 401), (Unavailable("x"), 503), (NotConnected("x"), 503)],
)
def test_what_is_not_let_in_is_refused_with_its_status(
    routes: list[Route], inbox: PaperInbox, error: Exception, status: int
) -> None:
    inbox.error = error
    told = follow(name="1", actor=B.service, target=A.service)
    found = ask(routes, "POST", f"{SERVICE}/inbox", body=str(told).replace("'", '"').encode())
    assert found.status == status


def test_who_names_a_key_that_cannot_be_had_does_not_write_the_log(
    routes: list[Route], inbox: PaperInbox, caplog: pytest.LogCaptureFixture
) -> None:
    inbox.error = Unavailable("https://b.example cannot be read now")
    body = b'{"type":"Follow","id":"1","actor":"x","object":"y"}'
    with caplog.at_level(logging.INFO):
        found = ask(routes, "POST", f"{SERVICE}/inbox", body=body)
    assert (found.status, found.json["error"], found.headers["retry-after"]) == (503, "Unavailable", "5")
    assert not [each for each in caplog.records if each.name.startswith("penstock")]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"type":"Follow"}', b"\xff" * 10])
def test_what_is_no_activity_is_refused(routes: list[Route], body: bytes) -> None:
    found = ask(routes, "POST", f"{SERVICE}/inbox", body=body)
    assert (found.status, found.json["error"]) == (400, "BadActivity")


def test_an_activity_that_is_too_large_is_refused(routes: list[Route]) -> None:
    headers = {"Content-Length": str(17 * 1024 * 1024)}
    assert ask(routes, "POST", f"{SERVICE}/inbox", headers=headers).status == 413
