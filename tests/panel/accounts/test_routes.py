"""Login, logout and the audit log, over HTTP."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

from penstock.clock import VirtualClock
from penstock.panel.accounts.sessions import IDLE
from tests.panel.asgi import Answer, Asker, opened

if TYPE_CHECKING:
    from collections.abc import Mapping

WHOAMI = "/api/penstock/session"
GOOD = {"username": "guest", "password": "guest"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


def stranger(asker: Asker) -> Asker:
    return replace(asker, headers={})


def carrying(answer: Answer, *, token: bool = False) -> dict[str, str]:
    """The headers of a browser that kept these cookies."""
    cookies = answer.cookies
    told = {"cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
    return told | ({"x-csrf-token": cookies["penstock_csrf"]} if token else {})


def test_who_logs_in_is_known_until_they_log_out() -> None:
    async def story() -> None:
        async with opened() as guest:
            asker = stranger(guest)
            login = await asker.post("/login", GOOD)
            assert (login.status, login.body) == (204, b"")
            page = carrying(login, token=True)
            assert (await asker.get(WHOAMI, page)).json["name"] == "guest"
            logout = await asker.post("/logout", headers=page)
            assert (logout.status, set(logout.cookies.values())) == (204, {""})
            assert (await asker.get(WHOAMI, page)).status == 401

    asyncio.run(story())


def test_a_form_is_led_back_to_the_page_it_came_from() -> None:
    async def story() -> None:
        async with opened() as guest:
            body = b"username=guest&password=guest&next=%2Fqueues%3Fname%3Da"
            answer = await stranger(guest).post("/login", body, FORM)
            assert (answer.status, answer.header("location")) == (303, "/queues?name=a")
            assert (await stranger(guest).get(WHOAMI, carrying(answer))).status == 200

    asyncio.run(story())


@pytest.mark.parametrize(
    "where", ["//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nb", ""]
)
def test_a_login_leads_nowhere_else(where: str) -> None:
    async def story() -> None:
        async with opened() as guest:
            body = urlencode({**GOOD, "next": where}).encode()
            assert (await stranger(guest).post("/login", body, FORM)).header("location") == "/"

    asyncio.run(story())


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ({"username": "guest", "password": "wrong"}, {}, 401),
        ({"username": "nobody", "password": "guest"}, {}, 401),
        ({"username": "guest"}, {}, 400),
        (b"{", {}, 400),
        (b"\xff", {}, 400),
        (GOOD, {"origin": "https://evil.example"}, 403),
        ({"username": "guest", "password": "x" * 100_000}, {}, 413),
    ],
)
def test_a_login_that_cannot_be_is_refused_with_a_reason_and_no_cookie(
    body: Any, headers: Mapping[str, str], status: int
) -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await stranger(guest).post("/login", body, headers)
            assert (answer.status, answer.cookies) == (status, {})
            assert set(answer.json) == {"error", "reason"}

    asyncio.run(story())


@pytest.mark.parametrize(
    ("body", "status", "username"),
    [
        (b"username=guest&password=wrong&next=%2Fqueues", 401, "guest"),
        (b"username=%22%3E%3Cb%3E&password=wrong&next=%2Fqueues", 401, "&quot;&gt;&lt;b&gt;"),
        (b"username=guest", 400, ""),
        (b"\xff=\xff", 400, ""),
    ],
)
def test_a_form_that_is_refused_is_the_page_again_with_the_reason(
    body: bytes, status: int, username: str
) -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await stranger(guest).post("/login", body, FORM)
            assert (answer.status, answer.cookies) == (status, {})
            assert answer.header("content-type") == "text/html; charset=utf-8"
            text = answer.body.decode()
            assert f'name="username" value="{username}"' in text
            assert re.search(r'<p class="refusal" role="alert">[^<]+</p>', text)
            assert ('name="next" value="/queues"' in text) is (status == 401)
            assert "wrong" not in text, "a password is not written down again"

    asyncio.run(story())


def test_a_login_from_our_own_page_is_none_of_another_site() -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await stranger(guest).post("/login", GOOD, {"origin": "http://panel"})
            assert answer.status == 204

    asyncio.run(story())


def test_a_session_is_over_when_nobody_was_there_for_a_while() -> None:
    async def story() -> None:
        clock = VirtualClock(1000.0)
        async with opened(clock=clock) as guest:
            page = carrying(await stranger(guest).post("/login", GOOD))
            clock.advance(IDLE - 1)
            assert (await stranger(guest).get(WHOAMI, page)).status == 200
            clock.advance(IDLE)
            assert (await stranger(guest).get(WHOAMI, page)).status == 401

    asyncio.run(story())


def test_another_password_ends_all_sessions_of_its_user() -> None:
    async def story() -> None:
        async with opened() as guest:
            page = carrying(await stranger(guest).post("/login", GOOD))
            guest.panel.embedded.front.access.realm.users.change_password("guest", "another")
            assert (await stranger(guest).get(WHOAMI, page)).status == 401

    asyncio.run(story())


def test_changes_are_listed_for_administrators_the_newest_first() -> None:
    async def story() -> None:
        async with opened() as guest:
            await guest.ask("DELETE", "/api/penstock/schedules/%2Fa?secret=1")
            await guest.get("/api/overview")
            await guest.post("/api/penstock/explain/%2F", {"routing_key": "x"})
            entries = (await guest.get("/api/penstock/audit")).json
            assert [(each["who"], each["what"], each["outcome"]) for each in entries] == [
                ("guest", "DELETE /api/penstock/schedules/%2Fa", "object_not_found")
            ]
            assert entries[0]["at"] == 1000.0
            guest.panel.embedded.front.access.realm.users.change_tags("guest", ["monitoring"])
            assert (await guest.get("/api/penstock/audit")).status == 403

    asyncio.run(story())


@pytest.mark.parametrize(
    ("limit", "status", "length"), [("0", 200, 0), ("1", 200, 1), ("9" * 50, 200, 2), ("x", 400, 2)]
)
def test_the_list_is_as_long_as_asked_for(limit: str, status: int, length: int) -> None:
    async def story() -> None:
        async with opened() as guest:
            for _ in range(2):
                await guest.ask("DELETE", "/api/penstock/schedules/a")
            answer = await guest.get(f"/api/penstock/audit?limit={limit}")
            assert (answer.status, len(answer.json)) == (status, length)

    asyncio.run(story())
