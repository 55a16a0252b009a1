from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from starlette.exceptions import HTTPException
from starlette.routing import Route

from penstock import errors
from penstock.did.web.answers import answer, status_of
from tests.did.web.helpers import ask

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response


def failing(error: Exception) -> list[Route]:
    async def page(request: Request) -> Response:
        raise error

    return [Route("/", page)]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.InvalidOperation("x"), 400),
        (errors.OperationExpired("x"), 400),
        (errors.BadDid("x"), 400),
        (errors.UnknownDid("x"), 404),
        (errors.UnknownVersion("x"), 404),
        (errors.BadActivity("rule", "x"), 400),
        (errors.BadHttpSignature("rule", "x"), 401),
        (errors.ContentNotFound("x"), 404),
        (errors.ContentTooLarge("x"), 413),
        (errors.Unavailable("x"), 503),
        (errors.StoreError("x"), 503),
        (errors.PublishLost("x"), 503),
        (errors.NotConnected("x"), 503),
        (errors.QueueNotStarted("x"), 503),
        (errors.DidError("x"), 500),
    ],
)
def test_every_error_has_its_status(error: Exception, status: int) -> None:
    assert status_of(error) == status
    found = ask(failing(error), "GET", "/")
    assert found.status == status
    assert found.json["error"] == type(error).__name__
    assert ("retry-after" in found.headers) == (status == 503)


def test_who_made_the_mistake_is_told_which() -> None:
    found = ask(failing(errors.BadActivity("no-type", "it has no type")), "GET", "/")
    assert found.json == {"error": "BadActivity", "reason": "it has no type", "rule": "no-type"}


def test_our_own_trouble_is_told_in_the_log_only(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = ask(failing(errors.StoreError("cannot open /var/lib/secret.db")), "GET", "/")
    assert b"secret" not in found.body
    assert "secret" in caplog.text


def test_a_page_that_is_not_there_and_a_method_that_does_not_fit_are_json_too() -> None:
    routes = failing(HTTPException(418, "a teapot"))
    assert ask(routes, "GET", "/").json == {"error": "HttpError", "reason": "a teapot"}
    assert ask(routes, "GET", "/elsewhere").status == 404
    refused = ask(routes, "POST", "/")
    assert (refused.status, set(refused.headers["allow"].split(", "))) == (405, {"GET", "HEAD"})
    assert refused.json["error"] == "HttpError"


def test_a_mistake_of_the_program_shows_no_code() -> None:
    routes = failing(RuntimeError("at line 7 of secret.py"))
    found = ask(routes, "GET", "/")
    assert (found.status, found.json["reason"]) == (500, "this domain made a mistake")
    assert b"secret" not in found.body


def test_a_document_is_sent_with_its_kind() -> None:
    found = answer({"a": "ä"}, kind="application/x+json")
    assert (found.body, found.headers["content-type"]) == ('{"a":"ä"}'.encode(), "application/x+json")
