from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.federation import FEDERATION
from penstock.did.web.policies import PolicyPages
from tests.did.web.helpers import ask

if TYPE_CHECKING:
    from starlette.routing import Route

    from penstock.did.database import DomainDatabase

THEIRS = {"Authorization": "Bearer s3cret"}


@pytest.fixture
def routes(memory: DomainDatabase) -> list[Route]:
    memory.create(FEDERATION)
    return PolicyPages(memory, "s3cret").routes()


def test_the_operator_reads_and_writes_the_policy(routes: list[Route]) -> None:
    assert ask(routes, "GET", "/policy", headers=THEIRS).body == b""
    headers = THEIRS | {"Content-Type": "text/plain; charset=utf-8"}
    assert ask(routes, "POST", "/policy", body=b"OutOf(1,system)\n", headers=headers).status == 200
    found = ask(routes, "GET", "/policy", headers=THEIRS)
    assert (found.body, found.headers["content-type"]) == (b"OutOf(1,system)", "text/plain; charset=utf-8")


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        "s3cret",
        "Bearer",
        "Bearer wrong",
        "Bearer s3cret2",
        "Basic s3cret",
        "Bearer \u00e4",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nobody_else_does(routes: list[Route], method: str, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    found = ask(routes, method, "/policy", body=b"OutOf(1,system)", headers=headers)
    assert (found.status, found.headers["www-authenticate"]) == (401, "Bearer")
    assert b"s3cret" not in found.body
    assert ask(routes, "GET", "/policy", headers=THEIRS).body == b""


def test_without_a_token_nobody_is_the_operator(memory: DomainDatabase) -> None:
    routes = PolicyPages(memory, "").routes()
    for token in ("Bearer ", "Bearer x"):
        assert ask(routes, "GET", "/policy", headers={"Authorization": token}).status == 403


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"OutOf(x,system)", "text/plain", 400),
        (b"OutOf(1,system) LogRequired", "text/plain", 400),
        (b"\xff", "text/plain", 400),
        (b"OutOf(1,system)", "application/json", 415),
        (b"x" * 5000, "text/plain", 413),
    ],
)
def test_a_policy_that_cannot_be_is_refused(routes: list[Route], body: bytes, kind: str, status: int) -> None:
    found = ask(routes, "POST", "/policy", body=body, headers=THEIRS | {"Content-Type": kind})
    assert found.status == status
    assert found.json["reason"]
    assert ask(routes, "GET", "/policy", headers=THEIRS).body == b""
