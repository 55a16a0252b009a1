"""The table of our own routes: who may do what, and that each is documented."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from penstock.panel import accounts, metrics, openapi, own
from penstock.panel.routes import PUBLIC
from tests.panel.asgi import opened

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "own-resources.md"
TABLE = {**own.ROUTES, **accounts.ROUTES, **metrics.ROUTES, **openapi.ROUTES}
ASKING = "/api/penstock/explain/{vhost}"
LOOKING = sorted(path for verb, path in own.ROUTES if verb == "GET" or path == ASKING)


@pytest.mark.parametrize(("verb", "path"), TABLE, ids=str)
def test_every_route_is_documented_with_the_tag_it_needs(verb: str, path: str) -> None:
    (line,) = [each for each in PAGE.read_text().splitlines() if each.startswith(f"| `{verb} {path}` |")]
    tag = TABLE[verb, path].tag
    assert tag == PUBLIC or f"`{tag}`" in line or path == "/api/penstock/session"


def test_what_changes_something_needs_more_than_looking() -> None:
    changing = {key for key in own.ROUTES if key[1] not in LOOKING}
    assert {own.ROUTES[key].tag for key in changing} == {"policymaker"}


def test_who_has_not_the_tag_is_refused_before_anything_is_read() -> None:
    async def story() -> None:
        async with opened() as guest:
            users = guest.panel.embedded.front.access.realm.users
            for (verb, path), route in TABLE.items():
                if route.tag in {PUBLIC, "management"}:
                    continue
                users.change_tags("guest", ["management"])
                answer = await guest.ask(verb, re.sub(r"{\w+}", "x", path), b"{")
                assert (answer.status, route.tag in answer.json["reason"]) == (403, True)
                users.change_tags("guest", [])
                assert (await guest.ask(verb, re.sub(r"{\w+}", "x", path))).status == 403

    asyncio.run(story())
