from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from importlib.metadata import EntryPoint, EntryPoints
from typing import TYPE_CHECKING

import pytest
from opentelemetry import trace as api
from opentelemetry.sdk.trace import TracerProvider

from penstock.messaging.tracing import exporting as module
from penstock.messaging.tracing.exporting import set_up_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}
MEMORY = "opentelemetry.sdk.trace.export.in_memory_span_exporter:InMemorySpanExporter"
CONSOLE = "opentelemetry.sdk.trace.export:ConsoleSpanExporter"
#: What a program does that has a message to tell of.
TELLING = """
import os
from penstock.messaging.tracing import maybe_spans
from penstock.messaging.tracing.exporting import set_up_spans
set_up_spans(os.environ, "penstock worker")
spans = maybe_spans()
print("none") if spans is None else spans.created("orders", "m1", None)
"""


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A program that has set nothing up; what it does is undone."""
    monkeypatch.setattr(api, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(api, "set_tracer_provider", lambda made: setattr(api, "_TRACER_PROVIDER", made))
    yield
    provider = api.get_tracer_provider()
    if isinstance(provider, TracerProvider):
        provider.shutdown()


def offer(monkeypatch: pytest.MonkeyPatch, **exporters: str) -> None:
    """These are installed."""
    found = EntryPoints(EntryPoint(name, value, module.GROUP) for name, value in exporters.items())
    monkeypatch.setattr(module, "entry_points", lambda **_: found)


def exporters() -> list[str]:
    """The kinds of exporters that spans go to; fails if nothing was set up."""
    provider = api.get_tracer_provider()
    assert isinstance(provider, TracerProvider)
    return [type(each.span_exporter).__name__ for each in provider._active_span_processor._span_processors]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"OTEL_SERVICE_NAME": "shop"},
        {**HERE, "OTEL_TRACES_EXPORTER": "none"},
        {**HERE, "OTEL_SDK_DISABLED": "true"},
    ],
)
def test_nothing_is_set_up_unless_the_environment_asks_for_it(environ: dict[str, str]) -> None:
    set_up_spans(environ, "penstock worker")
    assert isinstance(api.get_tracer_provider(), api.ProxyTracerProvider)


@pytest.mark.parametrize(
    ("environ", "offered", "kinds"),
    [
        (HERE, {"otlp": MEMORY}, ["InMemorySpanExporter"]),
        (HERE, {"otlp_proto_http": MEMORY}, ["InMemorySpanExporter"]),
        (
            {**HERE, "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
            {"otlp": CONSOLE, "otlp_proto_http": MEMORY},
            ["InMemorySpanExporter"],
        ),
        (
            {"OTEL_TRACES_EXPORTER": "console, otlp"},
            {"otlp": MEMORY, "console": CONSOLE},
            ["ConsoleSpanExporter", "InMemorySpanExporter"],
        ),
    ],
)
def test_spans_go_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], offered: dict[str, str], kinds: list[str]
) -> None:
    offer(monkeypatch, **offered)
    set_up_spans(environ, "penstock worker")
    assert exporters() == kinds


def test_what_a_program_has_set_up_itself_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, otlp=MEMORY)
    own = TracerProvider()
    api.set_tracer_provider(own)
    set_up_spans(HERE, "penstock worker")
    assert api.get_tracer_provider() is own


def test_what_is_not_installed_is_told_and_the_program_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    offer(monkeypatch)
    set_up_spans(HERE, "penstock worker")
    assert "no such exporter is installed: pip install" in caplog.text
    caplog.clear()
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    set_up_spans(HERE, "penstock worker")
    assert "no spans, though the environment asks for them" in caplog.text


@pytest.mark.parametrize(
    ("more", "service"), [({}, "penstock worker"), ({"OTEL_SERVICE_NAME": "shop"}, "shop")]
)
def test_a_program_tells_of_its_messages_under_its_name(more: dict[str, str], service: str) -> None:
    environ = {**os.environ, "OTEL_TRACES_EXPORTER": "console", **more}
    told = subprocess.run(  # noqa: S603  ours
        [sys.executable, "-c", TELLING], env=environ, capture_output=True, text=True, check=True, timeout=60
    )
    span = json.loads(told.stdout)
    assert span["name"] == "create orders"
    assert span["resource"]["attributes"]["service.name"] == service
