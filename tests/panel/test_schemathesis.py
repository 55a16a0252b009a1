"""The OpenAPI document, believed by somebody who knows nothing else: what it says is sent, and held to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from penstock.panel.own import ROUTES
from tests.did.batches.circle import created
from tests.did.observing.helpers import suffix_in
from tests.panel.site.stage import Stage
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Of each operation: 120 of them are to be asked in some seconds.
EXAMPLES = 3
GUEST = ("guest", "guest")
CHECKS = (response_schema_conformance, status_code_conformance)
OWN = "/api/penstock/"
#: Names of things that the stage has: at random nobody would find them.
KNOWN = {
    "message_id": "letter-0",
    "key": "nightly",
    "number": "1",
    "suffix": suffix_in(created(Life("good"))),
    "vhost": "/",
    "name": "penstock_outbox",
}


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A panel with everything that it can show beside its broker."""
    opened = Stage(tmp_path_factory.mktemp("stage"))
    opened.start()
    opened.schedule("nightly", 4000)
    yield opened
    opened.stop()


def test_nothing_that_is_asked_breaks_it_and_every_answer_is_as_told(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    schema = schemathesis.openapi.from_url(f"{stage.url}/api/openapi.json", auth=GUEST)
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) > 100
    failures = [str(failure) for operation in operations for failure in asked(operation)]
    failures += [
        str(failure)
        for operation in operations
        if operation.path.startswith(OWN)
        for failure in asked(operation, by_name=True)
    ]
    assert not failures, "\n\n".join(failures)
    assert "internal error" not in caplog.text


@pytest.mark.parametrize(
    ("path", "names"),
    [
        *(("dead-letters", ()), ("dead-letters/groups", ()), ("dead-letters/{message_id}", ("letter-0",))),
        *(("schedules", ()), ("outbox", ()), ("workers", ()), ("relays", ()), ("pipelines", ())),
        *(("operations", ()), ("batches", ()), ("batches/{number}", ("1",)), ("anchors", ())),
        *(("dids/{suffix}", (KNOWN["suffix"],)), ("topology", ())),
    ],
)
def test_every_resource_has_something_to_tell_and_all_of_it_is_in_the_document(
    stage: Stage, path: str, names: tuple[str, ...]
) -> None:
    stage.keep_letters()
    parts = iter(names)
    found = stage.api("GET", re.sub(r"{\w+}", lambda _: next(parts), f"{OWN}{path}"))
    reply = ROUTES["GET", f"{OWN}{path}"].reply
    # What a type does not name is left out of it.
    assert msgspec.to_builtins(msgspec.convert(found, reply)) == found


def asked(operation: Any, *, by_name: bool = False) -> list[FailureGroup]:
    """Ask for one operation a few times; what was wrong with the answers.

    Args:
        by_name: of something that is there.
    """
    # A check that says "no" says so with 503.
    is_check = operation.path.startswith("/api/health/")
    checks = CHECKS if is_check else (not_a_server_error, *CHECKS)

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        if by_name:
            named = case.path_parameters or {}
            case.path_parameters = {name: KNOWN.get(name, value) for name, value in named.items()}
        case.call_and_validate(auth=GUEST, checks=checks)

    try:
        ask()
    except FailureGroup as failure:
        return [failure]
    return []
