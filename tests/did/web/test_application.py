from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from starlette.routing import Route

from penstock.did.web import application
from penstock.messaging.embedded import EmbeddedBroker
from tests.did.operation_queue.helpers import run
from tests.did.web.domain import Domain
from tests.server.peer import until
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


@pytest.fixture
def tell(tmp_path: Path) -> Callable[[Callable[[Domain], Awaitable[None]]], None]:
    """Tell a story of one domain."""

    def telling(story: Callable[[Domain], Awaitable[None]]) -> None:
        async def told() -> None:
            broker = await EmbeddedBroker.start()
            try:
                async with Domain("orb", broker, tmp_path) as domain:
                    await story(domain)
            finally:
                await broker.close()

        run(told())

    return telling


def test_operations_that_come_at_once_are_all_added(
    tell: Callable[[Callable[[Domain], Awaitable[None]]], None],
) -> None:
    async def story(domain: Domain) -> None:
        lives = [Life(f"life{number}") for number in range(20)]
        asking = (
            asyncio.to_thread(domain.ask, "POST", "/sidetree/v1/operations", life.create()) for life in lives
        )
        found = await asyncio.gather(*asking)
        assert [status for status, _ in found] == [200] * 20
        await until(lambda: len(domain.queue) == 20)
        waiting = await domain.queue.peek(100)
        assert {each.operation.unique_suffix for each in waiting} == {life.suffix for life in lives}

    tell(story)


def test_every_page_answers_over_a_real_socket(
    tell: Callable[[Callable[[Domain], Awaitable[None]]], None],
) -> None:
    async def story(domain: Domain) -> None:
        name = domain.cas.put(b"a file").hash
        operator = {"Authorization": "Bearer s3cret"}
        pages = {
            "/services/orb": 200,
            "/services/orb/outbox?page=true": 200,
            "/services/orb/witnesses": 200,
            f"/.well-known/webfinger?resource={domain.iris.service}": 200,
            "/.well-known/nodeinfo": 200,
            "/.well-known/did.json": 200,
            f"/cas/{name}": 200,
            "/vc/1": 404,
            "/policy": 200,
            "/healthcheck": 200,
            "/services/orb/acceptlist": 200,
            "/allowedorigins": 200,
            f"/scid/{Life().suffix}/did.json": 404,
            "/sidetree/v1/identifiers/did:orb:x": 400,
            "/elsewhere": 404,
            "/healthcheck/": 404,
        }
        for page, status in pages.items():
            found = await asyncio.to_thread(domain.ask, "GET", page, b"", operator)
            assert found[0] == status, (page, found)
            if status != 200:
                assert json.loads(found[1])["reason"]
        strange = await asyncio.to_thread(domain.ask, "GET", "/services/orb/likes", b"", {"Host": "[::"})
        assert strange[0] == 200
        assert "s3cret" not in repr(domain.site)

    tell(story)


def test_pages_that_only_read_wait_for_nobody_who_writes(
    tell: Callable[[Callable[[Domain], Awaitable[None]]], None],
) -> None:
    async def story(domain: Domain) -> None:
        operator = {"Authorization": "Bearer s3cret"}
        pages = (
            "/services/orb/outbox?page=true",
            "/services/orb/likes?page=true",
            "/nodeinfo/2.1",
            "/policy",
        )
        with domain.database.engine.begin():
            async with asyncio.timeout(20):
                for page in pages:
                    assert (await asyncio.to_thread(domain.ask, "GET", page, b"", operator))[0] == 200, page

    tell(story)


ROW = re.compile(r"^\| `(GET|POST) ([^`]+)`", re.MULTILINE)


def test_the_reference_has_every_route(tell: Callable[[Callable[[Domain], Awaitable[None]]], None]) -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "did-http.md"

    async def story(domain: Domain) -> None:
        there = [
            (method, route.path.replace(":path}", "}"))
            for route in application(domain.site).routes
            if isinstance(route, Route)
            for method in (route.methods or set()) - {"HEAD"}
        ]
        assert sorted(there) == sorted(ROW.findall(page.read_text()))

    tell(story)


def test_all_that_the_operator_may_do_wants_the_token(
    tell: Callable[[Callable[[Domain], Awaitable[None]]], None],
) -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "did-http.md"
    operators = page.read_text().partition("## For the operator")[2]

    async def story(domain: Domain) -> None:
        for method, path in ROW.findall(operators):
            for headers in ({}, {"Authorization": "Bearer wrong"}):
                status, _ = await asyncio.to_thread(domain.ask, method, path, b"", headers)
                assert status == 401, (method, path)

    tell(story)


def test_a_request_that_is_not_signed_is_not_let_in(
    tell: Callable[[Callable[[Domain], Awaitable[None]]], None],
) -> None:
    async def story(domain: Domain) -> None:
        body = b'{"type":"Follow","id":"1","actor":"x","object":"y"}'
        status, told = await asyncio.to_thread(domain.ask, "POST", "/services/orb/inbox", body)
        assert (status, json.loads(told)["rule"]) == (401, "unsigned")

    tell(story)
