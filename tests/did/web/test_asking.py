from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from penstock.did.activities import follow
from penstock.did.web.asking import AskingPages
from penstock.did.web.operator import Operator
from penstock.errors import BadActivity, NotConnected
from penstock.sidetree.canonical import canonical
from tests.did.federation.helpers import A, B
from tests.did.web.helpers import ask

if TYPE_CHECKING:
    from starlette.routing import Route

OUTBOX = "/services/orb/outbox"
THEIRS = {"Authorization": "Bearer s3cret"}
FOLLOW = canonical(follow(name=A.activity("1"), actor=A.service, target=B.service))


class PaperFederation:
    """Is asked, and answers."""

    def __init__(self) -> None:
        self.asked: list[bytes] = []
        self.error: Exception | None = None

    async def ask(self, activity: bytes) -> str:
        if self.error:
            raise self.error
        self.asked.append(activity)
        return A.activity("1")


@pytest.fixture
def federation() -> PaperFederation:
    return PaperFederation()


@pytest.fixture
def routes(federation: Any) -> list[Route]:
    return AskingPages(federation, Operator("s3cret")).routes()


def test_the_operator_has_the_domain_ask_and_is_told_the_name(
    routes: list[Route], federation: PaperFederation
) -> None:
    found = ask(routes, "POST", OUTBOX, body=FOLLOW, headers=THEIRS)
    assert (found.status, found.json) == (200, A.activity("1"))
    assert federation.asked == [FOLLOW]


def test_nobody_else_does(routes: list[Route], federation: PaperFederation) -> None:
    for headers in ({}, {"Authorization": "Bearer x"}):
        assert ask(routes, "POST", OUTBOX, body=FOLLOW, headers=headers).status == 401
    assert federation.asked == []


def test_what_is_too_large_is_not_read(routes: list[Route], federation: PaperFederation) -> None:
    assert ask(routes, "POST", OUTBOX, body=b" " * 70_000, headers=THEIRS).status == 413
    assert federation.asked == []


@pytest.mark.parametrize(("error", "status"), [(BadActivity("actor", "x"), 400), (NotConnected("x"), 503)])
def test_what_is_not_sent_is_refused_with_its_status(
    routes: list[Route], federation: PaperFederation, error: Exception, status: int
) -> None:
    federation.error = error
    found = ask(routes, "POST", OUTBOX, body=FOLLOW, headers=THEIRS)
    assert (found.status, found.json["error"]) == (status, type(error).__name__)
