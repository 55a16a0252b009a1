"""What goes by the shortcut is answered as it is by the routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.operations import StoredResolver
from penstock.did.web.express import Express
from penstock.did.web.sidetree import SidetreePages
from penstock.errors import PublishLost, UnknownVersion
from tests.did.operation_queue.helpers import run
from tests.did.web.helpers import ask, asked
from tests.did.web.test_intake import Door
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.did.database import DomainDatabase

POST = "/sidetree/v1/operations"


@pytest.fixture
def door(memory: DomainDatabase) -> Door:
    return Door(memory)


@pytest.fixture
def pages(door: Door) -> SidetreePages:
    return SidetreePages(door.intake, StoredResolver(door.database, clock=VirtualClock(NOW)))


CREATE = Life("carol").create()


@pytest.mark.parametrize(
    ("method", "target", "body", "headers"),
    [
        ("POST", POST, CREATE, {}),
        ("POST", POST, [CREATE[:10], CREATE[10:]], {}),
        ("POST", f"{POST}?x=1", CREATE, {}),
        ("POST", POST, b"{}", {}),
        ("POST", POST, b" " * 70_000, {}),
        ("POST", POST, b"", {"content-length": "many"}),
        ("GET", POST, b"", {}),
        ("POST", f"{POST}/", CREATE, {}),
        ("GET", "/sidetree/v1/identifiers/did:orb:x", b"", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_answers_are_the_same(
    pages: SidetreePages,
    method: str,
    target: str,
    body: bytes | Sequence[bytes],
    headers: Mapping[str, str],
) -> None:
    application = Express(pages.routes(), pages.post_operation)
    application.router.redirect_slashes = True
    found = run(asked(application, method, target, body, headers))
    assert found.headers.pop("vary", None) == ("Origin" if method == "GET" else None)
    assert found == ask(pages.routes(), method, target, body=body, headers=headers)


@pytest.mark.parametrize("target", ["/services/orb/likes?id=a%00b", "/vc/\0", "/sidetree/v1/identifiers/\0"])
def test_no_page_is_asked_for_what_no_database_could_look_for(pages: SidetreePages, target: str) -> None:
    application = Express(pages.routes(), pages.post_operation)
    found = run(asked(application, "GET", target))
    assert (found.status, found.json["reason"]) == (400, "no name has the letter U+0000")


@pytest.mark.parametrize(
    ("error", "status"), [(PublishLost("x"), 503), (UnknownVersion("x"), 404), (RuntimeError("x"), 500)]
)
def test_errors_are_answered_with_their_status(
    pages: SidetreePages, door: Door, error: Exception, status: int
) -> None:
    door.error = error
    found = run(asked(Express(pages.routes(), pages.post_operation), "POST", POST, CREATE))
    assert found.status == status
    assert found.json["reason"]


PAGE = {"Origin": "https://wallet.example"}


@pytest.mark.parametrize(
    ("method", "target", "body", "status"),
    [
        ("POST", POST, CREATE, 200),
        ("POST", POST, b"{}", 400),
        ("GET", "/sidetree/v1/identifiers/did:orb:x", b"", 400),
        ("GET", "/.well-known/nothing", b"", 404),
    ],
)
def test_clients_of_dids_in_browsers_see_the_answers(
    pages: SidetreePages, method: str, target: str, body: bytes, status: int
) -> None:
    found = run(asked(Express(pages.routes(), pages.post_operation), method, target, body, PAGE))
    assert (found.status, found.headers["access-control-allow-origin"]) == (status, "*")
    assert "access-control-allow-credentials" not in found.headers


def test_a_browser_asks_first_whether_it_may(pages: SidetreePages) -> None:
    headers = PAGE | {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type",
    }
    application = Express(pages.routes(), pages.post_operation)
    found = run(asked(application, "OPTIONS", POST, b"", headers))
    assert (found.status, found.headers["access-control-allow-origin"]) == (200, "*")
    assert found.headers["access-control-allow-headers"] == "content-type"
    for target in ("/policy", "/services/orb/outbox", "/allowedorigins"):
        found = run(asked(application, "OPTIONS", target, b"", headers))
        assert not [name for name in found.headers if name.startswith("access-control")]
