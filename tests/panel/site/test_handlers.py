"""What a browser is answered with that asks for a page, or for what pages are made of."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest

from penstock.panel.replies import ApiFault
from penstock.panel.routes import PUBLIC, Routes
from penstock.panel.site import ROUTES
from penstock.panel.site.assets import ASSETS, FOR_EVER
from penstock.panel.visit import NOBODY, Visit
from penstock.server.users import User

if TYPE_CHECKING:
    from penstock.panel.panel import Panel
    from penstock.panel.replies import Reply

GUEST = User(name="guest", tags=frozenset({"management"}))
ROUTED = Routes([ROUTES])


def answer(*path: str, user: User = GUEST, **more: Any) -> Reply:
    route, names = ROUTED.find("GET", path)
    visit = Visit(panel=cast("Panel", None), user=user, path=path, **more)

    async def answered() -> Reply:
        return await route.handler(visit, **names)

    return asyncio.run(answered())


def test_somebody_who_is_in_gets_the_page() -> None:
    reply = answer("queues", "/", "a/b")
    assert reply.status == 200
    assert reply.kind == "text/html; charset=utf-8"
    assert b"guest" in reply.body
    assert ASSETS.address("pages/queue.js").encode() in reply.body


@pytest.mark.parametrize(
    ("path", "query", "next_path"),
    [
        (("",), {}, "%2F"),
        (("queues",), {"name": "a b"}, "%2Fqueues%3Fname%3Da%2Bb"),
        (("queues", "/", "a/b"), {}, "%2Fqueues%2F%252F%2Fa%252Fb"),
    ],
)
def test_who_is_not_in_is_sent_to_log_in_and_comes_back(
    path: tuple[str, ...], query: dict[str, str], next_path: str
) -> None:
    reply = answer(*path, user=NOBODY, query=query)
    assert (reply.status, reply.headers["Location"]) == (303, f"/login?next={next_path}")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("/queues?page=2", "/queues?page=2"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("/\\evil", "/"),
    ],
)
def test_the_way_back_stays_within_the_site(given: str, kept: str) -> None:
    reply = answer("login", user=NOBODY, query={"next": given})
    assert f'name="next" value="{kept}"'.encode() in reply.body


def test_files_are_for_everybody_and_kept() -> None:
    for path in (("shell.css",), ("core", "dom.js")):
        reply = answer("static", ASSETS.mark, *path, user=NOBODY)
        assert reply.body == ASSETS.files["/".join(path)].plain
        assert reply.headers["Cache-Control"] == FOR_EVER


def test_an_unknown_file_is_not_found() -> None:
    with pytest.raises(ApiFault) as refused:
        answer("static", ASSETS.mark, "core", "..%2fshell.py")
    assert refused.value.status == 404


def test_every_route_is_public_and_has_a_sentence() -> None:
    assert all(route.tag == PUBLIC and route.summary.endswith(".") for route in ROUTES.values())
