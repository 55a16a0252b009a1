from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.federation import FEDERATION
from penstock.did.web.operator import Operator
from penstock.did.web.policies import PolicyPages
from tests.did.web.helpers import ask

if TYPE_CHECKING:
    from starlette.routing import Route

    from penstock.did.database import DomainDatabase

THEIRS = {"Authorization": "Bearer s3cret"}


@pytest.fixture
def routes(memory: DomainDatabase) -> list[Route]:
    memory.create(FEDERATION)
    return PolicyPages(memory, Operator("s3cret")).routes()


def test_the_operator_reads_and_writes_the_policy(routes: list[Route]) -> None:
    assert ask(routes, "GET", "/policy", headers=THEIRS).body == b""
    headers = THEIRS | {"Content-Type": "text/plain; charset=utf-8"}
    assert ask(routes, "POST", "/policy", body=b"OutOf(1,system)\n", headers=headers).status == 200
    found = ask(routes, "GET", "/policy", headers=THEIRS)
    assert (found.body, found.headers["content-type"]) == (b"OutOf(1,system)", "text/plain; charset=utf-8")


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nobody_else_does(routes: list[Route], method: str) -> None:
    found = ask(routes, method, "/policy", body=b"OutOf(1,system)", headers={"Authorization": "Bearer x"})
    assert found.status == 401
    assert ask(routes, "GET", "/policy", headers=THEIRS).body == b""


@pytest.mark.parametrize(
    "kind", ["text/plain", "TEXT/PLAIN;charset=utf-8", "application/x-www-form-urlencoded"]
)
def test_a_policy_is_text_and_curl_may_call_it_a_form(routes: list[Route], kind: str) -> None:
    headers = THEIRS | {"Content-Type": kind}
    assert ask(routes, "POST", "/policy", body=b"OutOf(1,system)", headers=headers).status == 200
    assert ask(routes, "GET", "/policy", headers=THEIRS).body == b"OutOf(1,system)"


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
