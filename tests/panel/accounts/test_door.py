"""The page's door: a cookie, and for changes the token beside it."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from penstock.clock import VirtualClock
from penstock.panel.accounts.door import UNATTENDED
from penstock.panel.accounts.sessions import IDLE
from penstock.panel.live import UNATTENDED as LIVES_WORD
from tests.panel.accounts.test_routes import GOOD, WHOAMI, carrying, stranger
from tests.panel.asgi import GUEST, opened

CHANGE = "/api/penstock/schedules/a"


@pytest.mark.parametrize(
    ("token", "status"), [(None, 403), ("", 403), ("wrong", 403), ("right", 404)], ids=str
)
def test_a_change_by_cookie_needs_the_sessions_own_token(token: str | None, status: int) -> None:
    async def story() -> None:
        async with opened() as guest:
            asker = stranger(guest)
            login = await asker.post("/login", GOOD)
            told = {"right": login.cookies["penstock_csrf"]}.get(token or "", token)
            headers = carrying(login) | ({} if told is None else {"x-csrf-token": told})
            assert (await asker.ask("DELETE", CHANGE, headers=headers)).status == status
            assert (await asker.get(WHOAMI, carrying(login))).status == 200

    asyncio.run(story())


def test_anothers_token_is_no_token() -> None:
    async def story() -> None:
        async with opened() as guest:
            asker = stranger(guest)
            mine, other = await asker.post("/login", GOOD), await asker.post("/login", GOOD)
            headers = carrying(mine) | {"x-csrf-token": other.cookies["penstock_csrf"]}
            assert (await asker.ask("DELETE", CHANGE, headers=headers)).status == 403

    asyncio.run(story())


def test_a_tool_that_says_who_asks_needs_no_token_whatever_its_cookies_are() -> None:
    async def story() -> None:
        async with opened() as guest:
            login = await stranger(guest).post("/login", GOOD)
            assert (await guest.ask("DELETE", CHANGE, headers=carrying(login))).status == 404
            wrong = GUEST | {"authorization": "Basic eDp5"}
            assert (await replace(guest, headers=wrong).get(WHOAMI, carrying(login))).status == 401

    asyncio.run(story())


def test_who_has_an_old_cookie_can_log_in_again() -> None:
    async def story() -> None:
        async with opened() as guest:
            asker = stranger(guest)
            old = await asker.post("/login", GOOD)
            assert (await asker.post("/login", GOOD, carrying(old))).status == 204

    asyncio.run(story())


def test_what_the_live_socket_asks_keeps_nobody_in() -> None:
    async def story() -> None:
        clock = VirtualClock(1000.0)
        async with opened(clock=clock) as guest:
            asker = stranger(guest)
            page = carrying(await asker.post("/login", GOOD))
            clock.advance(IDLE - 1)
            inner = asker.app

            async def unattended(scope, receive, send):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
                await inner({**scope, UNATTENDED: True}, receive, send)

            assert (await replace(asker, app=unattended).get(WHOAMI, page)).status == 200
            clock.advance(1)
            assert (await asker.get(WHOAMI, page)).status == 401

    asyncio.run(story())
    assert UNATTENDED == LIVES_WORD


def test_behind_tls_a_session_has_a_cookie_that_no_plain_page_can_set() -> None:
    async def story() -> None:
        async with opened() as guest:
            asker = replace(stranger(guest), scheme="https")
            login = await asker.post("/login", GOOD)
            assert set(login.cookies) == {"__Host-penstock_session", "penstock_csrf"}
            assert (await asker.get(WHOAMI, carrying(login))).status == 200
            plain = {"cookie": f"penstock_session={login.cookies['__Host-penstock_session']}"}
            assert (await asker.get(WHOAMI, plain)).status == 401

    asyncio.run(story())
