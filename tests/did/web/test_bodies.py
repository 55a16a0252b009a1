from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from starlette.responses import Response
from starlette.routing import Route

from penstock.did.web import bodies
from penstock.did.web.answers import answer
from penstock.did.web.bodies import page_number, read_body
from tests.did.web.helpers import ask

if TYPE_CHECKING:
    from starlette.requests import Request


async def echo(request: Request) -> Response:
    return Response(await read_body(request, 10))


async def number(request: Request) -> Response:
    return answer(page_number(request, first=7))


ROUTES = [Route("/", echo, methods=["POST"]), Route("/page", number)]


@pytest.mark.parametrize("body", [b"", b"0123456789", [b"01234", b"56789"]])
def test_a_body_within_the_limit_is_read_whole(body: Any) -> None:
    assert ask(ROUTES, "POST", "/", body=body).body == b"".join([body] if isinstance(body, bytes) else body)


@pytest.mark.parametrize("body", [b"0123456789a", [b"0123456789", b"a", b"b"]])
def test_a_body_over_the_limit_is_refused(body: Any) -> None:
    assert ask(ROUTES, "POST", "/", body=body).status == 413


@pytest.mark.parametrize("told", ["-1", "ten", "", "1e3", "9" * 20])
def test_a_length_that_is_no_number_is_refused(told: str) -> None:
    assert ask(ROUTES, "POST", "/", headers={"Content-Length": told}).status == 400


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(request: Request) -> Response:
        request._receive = asyncio.Event().wait  # type: ignore[assignment]
        return Response(await read_body(request, 10))

    monkeypatch.setattr(bodies, "BODY_IN", 0.01)
    found = ask([Route("/", never, methods=["POST"])], "POST", "/")
    assert found.status == 408


def test_a_body_that_breaks_off_is_nobodys_mistake_here() -> None:
    async def gone(request: Request) -> Response:
        async def receive() -> Any:
            return {"type": "http.disconnect"}

        request._receive = receive
        return Response(await read_body(request, 10))

    assert ask([Route("/", gone, methods=["POST"])], "POST", "/").status == 400


@pytest.mark.parametrize(
    ("query", "expected"),
    [("", None), ("page=false", None), ("page=true", 7), ("page=true&page-num=3", 3), ("page-num=3", None)],
)
def test_a_page_is_asked_for_by_its_number(query: str, expected: int | None) -> None:
    assert ask(ROUTES, "GET", f"/page?{query}").json == expected


def test_a_page_that_is_no_number_is_refused() -> None:
    assert ask(ROUTES, "GET", "/page?page=true&page-num=x").status == 400
