"""A gateway's counters as Prometheus reads them, version 0.0.4 of its text format. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.workers.gateway.counters import Counters

__all__ = ["CONTENT_TYPE", "MEANINGS", "metric_of", "told"]

CONTENT_TYPE: Final = "text/plain; version=0.0.4"
#: The only one that also goes down.
GAUGES: Final = frozenset({"connected"})
#: What each counter tells.
MEANINGS: Final[Mapping[str, str]] = {
    "connected": "Clients with a session",
    "opened": "Sessions that were opened",
    "turned_away": "Connections that were not let in",
    "died": "Connections that ended without a farewell",
    "resumed": "Clients that came again with a mark",
    "gaps": "Clients that came again and may have missed something",
    "requests": "Requests of clients",
    "refused": "Requests that were refused",
    "heard": "Messages from the channels",
    "passed_over": "Messages that are for no client",
    "sent": "Frames to clients",
    "too_slow": "Clients that were closed for not reading",
}


def metric_of(counter: str) -> str:
    """The name of a counter's metric."""
    return f"penstock_gateway_{counter}{'' if counter in GAUGES else '_total'}"


def told(counters: Counters) -> bytes:
    """All of them."""
    return "".join(_lines(name, getattr(counters, name)) for name in MEANINGS).encode()


def _lines(counter: str, value: int) -> str:
    name, kind = metric_of(counter), "gauge" if counter in GAUGES else "counter"
    return f"# HELP {name} {MEANINGS[counter]}\n# TYPE {name} {kind}\n{name} {value}\n"
