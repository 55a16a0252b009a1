from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from starlette.responses import Response
from starlette.routing import Route

from penstock.did.web.operator import Operator
from tests.did.web.helpers import Answer, ask

if TYPE_CHECKING:
    from starlette.requests import Request


def knock(operator: Operator, header: str | None) -> Answer:
    async def page(request: Request) -> Response:
        operator.check(request)
        return Response(b"come in")

    headers = {} if header is None else {"Authorization": header}
    return ask([Route("/", page)], "GET", "/", headers=headers)


@pytest.mark.parametrize("header", ["Bearer s3cret", "bearer s3cret", "Bearer  s3cret "])
def test_who_has_the_token_is_the_operator(header: str) -> None:
    assert knock(Operator("s3cret"), header).status == 200


@pytest.mark.parametrize("token", ["s3cret \u00e0", "\u2026", "\u0445"])
def test_a_token_may_be_of_any_letters(token: str) -> None:
    # As curl sends it, in UTF-8; to whoever reads latin-1, these end with a blank.
    assert knock(Operator(token), f"Bearer {token.encode().decode('latin-1')}").status == 200


@pytest.mark.parametrize(
    "header",
    [None, "", "s3cret", "Bearer", "Bearer wrong", "Bearer s3cret2", "Basic s3cret", "Bearer \u00e4"],
)
def test_nobody_else_is(header: str | None) -> None:
    found = knock(Operator("s3cret"), header)
    assert (found.status, found.headers["www-authenticate"]) == (401, "Bearer")
    assert b"s3cret" not in found.body


@pytest.mark.parametrize("header", [None, "Bearer ", "Bearer x"])
def test_without_a_token_nobody_is(header: str | None) -> None:
    assert knock(Operator(""), header).status == 403


def test_the_token_is_told_to_nobody() -> None:
    assert "s3cret" not in repr(Operator("s3cret"))
