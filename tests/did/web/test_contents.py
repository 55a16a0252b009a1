from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.cas import ContentStorage, HashLink, Remote, StoredContents, resource_hash
from penstock.did.web.contents import ContentPages
from penstock.did.web.room import SMALL
from tests.did.web.helpers import ask

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.routing import Route


class NobodyAsks:
    """A fetcher that must not be used."""

    def fetch(self, url: str, **_: Any) -> bytes:
        pytest.fail(f"{url} was asked on behalf of a stranger")


async def credential(name: str) -> bytes | None:
    return b'{"id":"1"}' if name == "1" else None


@pytest.fixture
def cas(tmp_path: Path) -> ContentStorage:
    remote = Remote(read=NobodyAsks().fetch)
    return ContentStorage(StoredContents(str(tmp_path)), links_at="https://a.example/cas", remote=remote)


@pytest.fixture
def pages(cas: ContentStorage) -> ContentPages:
    return ContentPages(cas, credential)


@pytest.fixture
def routes(pages: ContentPages) -> list[Route]:
    return pages.routes()


def test_a_content_is_had_by_its_hash(routes: list[Route], cas: ContentStorage) -> None:
    link = cas.put(b"<b>a file</b>")
    found = ask(routes, "GET", f"/cas/{link.hash}")
    assert (found.status, found.body) == (200, b"<b>a file</b>")
    assert found.headers["content-type"] == "application/octet-stream"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert "immutable" in found.headers["cache-control"]


def test_large_contents_share_a_room(pages: ContentPages, routes: list[Route], cas: ContentStorage) -> None:
    small, large = (cas.put(bytes(size)).hash for size in (SMALL, SMALL + 1))
    assert ask(routes, "GET", f"/cas/{large}").status == 200
    pages._room.left = 0
    assert [ask(routes, "GET", f"/cas/{name}").status for name in (small, large)] == [200, 503]


@pytest.mark.parametrize(
    "name",
    [
        resource_hash(b"another"),
        "x",
        "..",
        str(HashLink.of(b"another", ["https://b.example/cas/x"])),
        f"https:b.example:{resource_hash(b'another')}",
    ],
)
def test_nobody_is_asked_for_what_is_not_here(routes: list[Route], name: str) -> None:
    found = ask(routes, "GET", f"/cas/{name}")
    assert found.status == 404
    assert found.json["reason"]


def test_a_credential_is_had_by_its_name(routes: list[Route]) -> None:
    found = ask(routes, "GET", "/vc/1")
    assert (found.body, found.headers["content-type"]) == (b'{"id":"1"}', "application/ld+json")
    assert ask(routes, "GET", "/vc/2").status == 404
