from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.federation import FEDERATION, Acceptance
from penstock.did.web.lists import ListPages
from penstock.did.web.operator import Operator
from tests.did.web.helpers import ask

if TYPE_CHECKING:
    from starlette.routing import Route

    from penstock.did.database import DomainDatabase
    from tests.did.web.helpers import Answer

THEIRS = {"Authorization": "Bearer s3cret"}
LISTS = "/services/orb/acceptlist"
ORIGINS = "/allowedorigins"
A, B, C = (f"https://{name}.example/services/orb" for name in "abc")


@pytest.fixture
def routes(memory: DomainDatabase) -> list[Route]:
    memory.create(FEDERATION)
    acceptance = Acceptance(followers=frozenset({A}), witnessing=frozenset())
    return ListPages(memory, Operator("s3cret"), acceptance=acceptance, origins=["*"]).routes()


def get(routes: list[Route], target: str) -> Any:
    found = ask(routes, "GET", target, headers=THEIRS)
    assert (found.status, found.headers["content-type"]) == (200, "application/json")
    return found.json


def post(routes: list[Route], target: str, change: Any) -> Answer:
    return ask(routes, "POST", target, body=json.dumps(change).encode(), headers=THEIRS)


def test_accept_lists_are_changed_several_at_a_time(routes: list[Route]) -> None:
    change = [
        {"type": "follow", "add": [B, C], "remove": [A]},
        {"type": "invite-witness", "add": [B], "remove": None},
        {"type": "follow", "remove": [C]},
    ]
    found = post(routes, LISTS, change)
    assert (found.status, found.body) == (200, b"")
    lists = [{"type": "follow", "url": [B]}, {"type": "invite-witness", "url": [B]}]
    assert get(routes, LISTS) == lists
    assert [get(routes, f"{LISTS}?type={each['type']}") for each in lists] == lists


def test_on_accept_lists_a_domain_as_such_means_its_service(routes: list[Route]) -> None:
    # As in --follow-accept-list; and who asks to follow has the name of its service.
    assert post(routes, LISTS, [{"type": "follow", "add": ["https://b.example"]}]).status == 200
    assert get(routes, f"{LISTS}?type=follow")["url"] == [A, B]
    change = [{"type": "follow", "remove": ["https://a.example/", "https://[", "urn:x"]}]
    assert post(routes, LISTS, change).status == 200
    assert get(routes, f"{LISTS}?type=follow")["url"] == [B]


def test_allowed_origins_are_changed(routes: list[Route]) -> None:
    assert get(routes, ORIGINS) == ["*"]
    change = {"add": ["https://a.example", "ipns://k51", "did:web:b.example"], "remove": ["*"]}
    assert post(routes, ORIGINS, change).status == 200
    assert get(routes, ORIGINS) == change["add"]


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("target", [LISTS, ORIGINS])
def test_nobody_but_the_operator_sees_or_changes_them(
    routes: list[Route], memory: DomainDatabase, method: str, target: str
) -> None:
    assert ask(routes, method, target, body=b"[]").status == 401
    closed = ListPages(memory, Operator(""), acceptance=Acceptance(), origins=["*"]).routes()
    assert ask(closed, method, target, body=b"[]", headers=THEIRS).status == 403


@pytest.mark.parametrize(
    ("target", "change", "status"),
    [
        (LISTS, {"type": "follow", "add": [B]}, 400),
        (LISTS, [{"type": "follow", "added": [B]}], 400),
        (LISTS, [{"add": [B]}], 400),
        (LISTS, [{"type": "like", "add": [B]}], 400),
        (LISTS, [{"type": "follow", "add": B}], 400),
        (LISTS, [{"type": "follow", "add": ["b.example"]}], 400),
        (LISTS, [{"type": "follow", "add": [f"{B}\n"]}], 400),
        (LISTS, [{"type": "follow", "add": [f"{B}\0"]}], 400),
        (LISTS, [{"type": "follow", "add": [B * 50]}], 400),
        (LISTS, [{"type": "follow", "add": ["*"]}], 400),
        (LISTS, [{"type": "follow", "add": [B, "urn:x"]}], 400),
        (LISTS, [{"type": "follow", "add": [B]}, {"type": "like"}], 400),
        (LISTS, [{"type": "follow", "add": [B] * 3000}], 413),
        (ORIGINS, [{"add": ["https://b.example"]}], 400),
        (ORIGINS, {"add": ["b.example"]}, 400),
        (ORIGINS, {"type": "follow"}, 400),
    ],
)
def test_a_change_that_cannot_be_changes_nothing(
    routes: list[Route], target: str, change: Any, status: int
) -> None:
    found = post(routes, target, change)
    assert found.status == status
    assert found.json["reason"]
    assert get(routes, LISTS) == [{"type": "follow", "url": [A]}, {"type": "invite-witness", "url": []}]
    assert get(routes, ORIGINS) == ["*"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"null", b"[" * 60_000, b"{" * 60_000])
@pytest.mark.parametrize("target", [LISTS, ORIGINS])
def test_what_is_no_json_is_refused(routes: list[Route], target: str, body: bytes) -> None:
    assert ask(routes, "POST", target, body=body, headers=THEIRS).status == 400


def test_where_everybody_is_accepted_there_is_no_list(memory: DomainDatabase) -> None:
    memory.create(FEDERATION)
    acceptance = Acceptance(witnessing=frozenset())
    routes = ListPages(memory, Operator("s3cret"), acceptance=acceptance, origins=["*"]).routes()
    assert get(routes, LISTS) == [{"type": "invite-witness", "url": []}]
    found = post(routes, LISTS, [{"type": "invite-witness", "add": [A]}, {"type": "follow", "remove": [A]}])
    assert (found.status, found.json["reason"]) == (
        409,
        "there is no list: follow-auth-policy accepts everybody",
    )
    assert ask(routes, "GET", f"{LISTS}?type=follow", headers=THEIRS).status == 409
    assert ask(routes, "GET", f"{LISTS}?type=like", headers=THEIRS).status == 400
    assert get(routes, LISTS) == [{"type": "invite-witness", "url": []}]
