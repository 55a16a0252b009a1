"""Every operation of the OpenAPI document, asked with whatever Schemathesis thinks of."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from penstock.panel.serving import open_panel
from penstock.server.embedded import Embedded
from penstock.settings import Address, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Of each operation: 120 of them are to be asked in some seconds.
EXAMPLES = 3
GUEST = ("guest", "guest")
CHECKS = (response_schema_conformance, status_code_conformance)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A panel, on a loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def start() -> tuple[Embedded, Any]:
        embedded = await Embedded.start(Settings(amqp=(), panel=(Address("127.0.0.1", 0),)))
        return embedded, await open_panel(embedded)

    embedded, panel = asyncio.run_coroutine_threadsafe(start(), loop).result()
    yield panel.urls[0]
    asyncio.run_coroutine_threadsafe(panel.close(), loop).result()
    asyncio.run_coroutine_threadsafe(embedded.close(), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_nothing_that_is_asked_breaks_it_and_every_answer_is_as_told(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    schema = schemathesis.openapi.from_url(f"{url}/api/openapi.json", auth=GUEST)
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) > 100
    failures = [str(failure) for operation in operations for failure in asked(operation)]
    assert not failures, "\n\n".join(failures)
    assert "internal error" not in caplog.text


def asked(operation: Any) -> list[FailureGroup]:
    """Ask for one operation a few times; what was wrong with the answers."""
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
        case.call_and_validate(auth=GUEST, checks=checks)

    try:
        ask()
    except FailureGroup as failure:
        return [failure]
    return []
