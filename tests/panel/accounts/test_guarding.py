"""Guarding: the headers of every answer, and the audit of every change."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from penstock.panel.accounts.headers import POLICY
from tests.panel.accounts.test_routes import GOOD, carrying, stranger
from tests.panel.asgi import opened


@pytest.mark.parametrize(
    "path", ["/", "/login", "/api/overview", "/api/nothing", "/metrics", "/static/x/no.js"]
)
def test_every_answer_protects_the_browser(path: str) -> None:
    async def story() -> None:
        async with opened() as guest:
            answer = await guest.get(path)
            assert answer.header("content-security-policy") == POLICY
            assert answer.header("x-content-type-options") == "nosniff"
            assert answer.header("x-frame-options") == "DENY"

    asyncio.run(story())


def test_a_tool_is_challenged_and_a_page_is_not() -> None:
    async def story() -> None:
        async with opened() as guest:
            asker = stranger(guest)
            tool, page = (
                await asker.get("/api/overview"),
                await asker.get("/api/overview", {"sec-fetch-site": "same-origin"}),
            )
            assert (tool.status, tool.header("www-authenticate")[:5]) == (401, "Basic")
            assert (page.status, page.header("www-authenticate")) == (401, "")

    asyncio.run(story())


def test_every_change_that_somebody_known_asks_for_is_audited_with_what_came_of_it() -> None:
    async def story() -> None:
        async with opened() as guest:
            asker = stranger(guest)
            login = await asker.post("/login", GOOD)
            await asker.ask("DELETE", "/api/penstock/schedules/a")
            await asker.ask("DELETE", "/api/penstock/schedules/b", headers=carrying(login))
            await asker.ask("DELETE", "/api/penstock/schedules/c", headers=carrying(login, token=True))
            told = [(each.who, each.what[-1], each.status) for each in guest.panel.accounts.audit.newest(9)]
            assert told == [("guest", "c", 404), ("guest", "b", 403), ("guest", "n", 204)]

    asyncio.run(story())


def test_a_change_is_announced_before_it_is_made_and_a_question_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def story() -> None:
        async with opened() as guest:
            audit, broker, seen = guest.panel.accounts.audit, guest.panel.embedded.broker, list[Any]()

            def look(_: str) -> None:
                seen.extend((each.what[-8:], each.outcome) for each in audit.newest(9))

            monkeypatch.setattr(broker, "create_host", look)
            await guest.get("/api/vhosts")
            answer = await guest.ask("PUT", "/api/vhosts/wanted", {})
            assert answer.status == 201
            assert seen == [("s/wanted", "began")]
            assert [each.outcome for each in audit.newest(9)] == ["done"]

    asyncio.run(story())


def test_a_change_that_breaks_has_its_end_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        async with opened() as guest:
            monkeypatch.setattr(guest.panel.embedded.broker, "create_host", None)
            answer = await guest.ask("PUT", "/api/vhosts/wanted", {})
            [told] = guest.panel.accounts.audit.newest(9)
            assert (answer.status, told.status, told.outcome) == (500, 500, "internal_error")

    asyncio.run(story())


def test_a_change_is_told_with_what_it_was_about_and_what_came_of_it() -> None:
    async def story() -> None:
        async with opened() as guest:
            for name in ("here", "there"):
                await guest.ask("PUT", f"/api/queues/%2F/{name}", {})
            sent = {"routing_key": "here", "payload": "a secret", "properties": {"headers": {"h": "hidden"}}}
            await guest.post("/api/exchanges/%2F/amq.default/publish", sent)
            await guest.post("/api/penstock/queues/%2F/here/move", {"to": "there"})
            await guest.ask("PUT", "/api/users/eve", {"password": "hush", "tags": "monitoring"})
            await guest.post("/api/users/bulk-delete", {"users": ["eve", "bob"]})
            newest = guest.panel.accounts.audit.newest(4)
            assert [each.about for each in reversed(newest)] == [
                {"routing_key": "here"},
                {"to": "there", "moved": 1},
                {"tags": "monitoring"},
                {"users": ["eve", "bob"]},
            ]

    asyncio.run(story())
