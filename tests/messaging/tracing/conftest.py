from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace as api
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from penstock.messaging.tracing import telemetry

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    """OpenTelemetry set up, for one test: a process may do so once, and others here are without."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(api, "_TRACER_PROVIDER", provider)
    yield exporter
    provider.shutdown()


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that has never loaded OpenTelemetry."""
    monkeypatch.setattr(telemetry, "_loaded", {})
