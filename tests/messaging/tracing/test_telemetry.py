from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace as api

from penstock.messaging.tracing import maybe_spans

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

PROGRAM = """
import sys
import penstock.messaging.amqp, penstock.messaging.subscriptions
from penstock.messaging.tracing import maybe_spans
assert maybe_spans() is None
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""


def test_a_program_that_has_not_loaded_it_does_not_load_it_here() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603  our own
    assert done.stdout == "[]\n"


def test_who_has_loaded_it_and_not_set_it_up_has_no_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_TRACER_PROVIDER", None)
    assert maybe_spans() is None
    monkeypatch.setattr(api, "_TRACER_PROVIDER", api.NoOpTracerProvider())
    assert maybe_spans() is None


def test_who_has_set_it_up_has_spans_of_one_kind(exported: InMemorySpanExporter) -> None:
    assert maybe_spans() is not None
    assert maybe_spans() is maybe_spans()


@pytest.mark.usefixtures("absent")
def test_without_it_there_are_none() -> None:
    assert maybe_spans() is None
