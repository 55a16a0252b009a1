"""Spans go where OpenTelemetry's own variables say, for programs that are commands of ours.

    OTEL_TRACES_EXPORTER=console                          or otlp, or several with commas; none is nowhere
    OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318     enough by itself

Where none is set nothing is loaded. An application of one's own sets OpenTelemetry up itself, or lets its
command do so (opentelemetry-instrument); that is left alone. The SDK reads all other variables.
"""

from __future__ import annotations

import logging
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from opentelemetry.sdk.trace import TracerProvider

__all__ = ["set_up_spans"]

log = logging.getLogger(__name__)

#: Under which names packages offer exporters (OpenTelemetry SDK for Python).
GROUP: Final = "opentelemetry_traces_exporter"
OTLP: Final = "otlp"
ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
#: What is to be installed, in a person's words.
NEEDED: Final = "pip install 'penstock[telemetry]' opentelemetry-sdk opentelemetry-exporter-otlp"


def set_up_spans(environ: Mapping[str, str], service: str) -> None:
    """Have spans go where the environment says, if it says anything.

    Args:
        environ: The environment.
        service: What this program is called, unless OTEL_SERVICE_NAME says otherwise.
    """
    wanted = _wanted(environ)
    if not wanted:
        return
    if find_spec("opentelemetry.sdk") is None:
        log.warning("no spans, though the environment asks for them: %s", NEEDED)
        return
    from opentelemetry import trace as api  # noqa: PLC0415 (only who asks for it)

    if isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
        api.set_tracer_provider(_provider(environ, service, wanted))


def _wanted(environ: Mapping[str, str]) -> list[str]:
    """The names of exporters, as the SDK's specification has them."""
    if environ.get("OTEL_SDK_DISABLED", "").lower() == "true":
        return []
    has_endpoint = any(environ.get(name) for name in ENDPOINTS)
    named = environ.get("OTEL_TRACES_EXPORTER") or (OTLP if has_endpoint else "none")
    return [name for each in named.split(",") if (name := each.strip()) and name != "none"]


def _provider(environ: Mapping[str, str], service: str, wanted: list[str]) -> TracerProvider:
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource  # noqa: PLC0415 (as above)
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    is_named = "OTEL_SERVICE_NAME" in environ or SERVICE_NAME in environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    # It ends in good order with the process, which the SDK sees to.
    provider = TracerProvider(resource=Resource.create({} if is_named else {SERVICE_NAME: service}))
    for name in wanted:
        exporter = _exporter(name, environ)
        if exporter is None:
            log.warning("spans are to go to %s, and no such exporter is installed: %s", name, NEEDED)
        else:
            provider.add_span_processor(BatchSpanProcessor(exporter()))
    return provider


def _exporter(name: str, environ: Mapping[str, str]) -> Callable[[], Any] | None:
    """The exporter of that name, as some package offers it."""
    offered = {each.name: each for each in entry_points(group=GROUP)}
    names = (_by_protocol(environ), OTLP, "otlp_proto_http", "otlp_proto_grpc") if name == OTLP else (name,)
    for each in names:
        if each in offered:
            made: Callable[[], Any] = offered[each].load()
            return made
    return None


def _by_protocol(environ: Mapping[str, str]) -> str:
    """OTLP has an exporter for each protocol; "http/protobuf" is http."""
    told = next((environ[name] for name in PROTOCOLS if environ.get(name)), "")
    return f"otlp_proto_{told.partition('/')[0]}"
