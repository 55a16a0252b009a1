from __future__ import annotations

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from penstock.workers.gateway.pages import maybe_page

ORIGINS = frozenset({"https://game.example"})


def status(path: str, *origins: str, has_room: bool = True) -> int | None:
    headers = Headers([("Host", "gateway.example:8100"), *(("Origin", origin) for origin in origins)])
    page = maybe_page(Request(path, headers), ORIGINS, has_room=has_room)
    return None if page is None else page.status_code


@pytest.mark.parametrize(
    ("origins", "expected"),
    [
        ((), None),
        (("https://game.example",), None),
        (("https://gateway.example:8100",), None),
        (("http://gateway.example:8100",), None),
        (("https://evil.example",), 403),
        (("https://game.example.evil.example",), 403),
        (("https://gateway.example",), 403),
        (("null",), 403),
        (("",), 403),
        (("https://game.example", "https://evil.example"), 403),
    ],
    ids=range(10),
)
def test_only_pages_that_are_named_or_of_this_host_may_connect(
    origins: tuple[str, ...], expected: int | None
) -> None:
    assert status("/ws?x=1", *origins) == expected


def test_more_than_there_may_be_are_sent_elsewhere() -> None:
    assert status("/ws", has_room=False) == 503


@pytest.mark.parametrize(
    ("path", "expected"), [("/health", 200), ("/penstock.js", 200), ("/", 404), ("/x", 404)]
)
def test_a_gateway_has_a_few_pages_itself(path: str, expected: int) -> None:
    assert status(path, "https://anywhere.example", has_room=False) == expected


def test_the_module_may_be_loaded_by_any_page() -> None:
    page = maybe_page(Request("/penstock.js", Headers()), ORIGINS, has_room=True)
    assert page is not None
    assert page.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert page.headers["Access-Control-Allow-Origin"] == "*"
    assert b"export function connect" in page.body
