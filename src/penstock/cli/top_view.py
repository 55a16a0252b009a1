"""What `penstock top` shows: one look at a broker, as numbers and as a picture. Pure.

The numbers are the management API's, RabbitMQ's or ours; what a broker does not tell is shown as 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from penstock.cli.message_lines import harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rich.console import RenderableType

__all__ = ["ORDERS", "Snapshot", "drawn"]

#: What a queue is sorted by: the largest first, names from A.
ORDERS: Final[Mapping[str, Callable[[Mapping[str, Any]], Any]]] = {
    "messages": lambda queue: -queue["messages"],
    "ready": lambda queue: -queue["ready"],
    "unacked": lambda queue: -queue["unacked"],
    "in": lambda queue: -queue["in"],
    "out": lambda queue: -queue["out"],
    "name": lambda queue: (queue["vhost"], queue["queue"]),
}
#: What an overview's rates are called there, and here.
RATES: Final = {"publish": "in", "deliver_get": "out", "ack": "acked", "redeliver": "redelivered"}
TOTALS: Final = ("connections", "channels", "consumers", "queues", "exchanges")


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One look."""

    place: str
    overview: Mapping[str, Any]
    queues: Sequence[Mapping[str, Any]]
    #: Why it is old, if it is.
    trouble: str = ""

    def lost(self, trouble: str) -> Snapshot:
        """The same, told to be old."""
        return replace(self, trouble=trouble)

    @property
    def product(self) -> str:
        """What answers, and its version."""
        told = self.overview
        version = told.get("product_version") or told.get("rabbitmq_version") or ""
        return f"{told.get('product_name') or 'RabbitMQ'} {version}".strip()

    @property
    def rates(self) -> dict[str, float]:
        """Messages a second, over all queues."""
        stats = self.overview.get("message_stats") or {}
        return {name: _rate(stats, word) for word, name in RATES.items()}

    @property
    def depths(self) -> dict[str, int]:
        """Messages that wait, and that are in hand."""
        totals = self.overview.get("queue_totals") or {}
        return {
            "ready": totals.get("messages_ready", 0),
            "unacked": totals.get("messages_unacknowledged", 0),
            "total": totals.get("messages", 0),
        }

    @property
    def totals(self) -> dict[str, int]:
        """How many there are of each kind of thing."""
        told = self.overview.get("object_totals") or {}
        return {name: told.get(name, 0) for name in TOTALS}

    def sorted_queues(self, order: str) -> list[dict[str, Any]]:
        """All queues, each with what is shown of it."""
        return sorted(map(_queue, self.queues), key=ORDERS[order])

    def as_fields(self, order: str) -> dict[str, Any]:
        """All of it, for programs."""
        numbers = {"rates": self.rates, "messages": self.depths, "totals": self.totals}
        return {"broker": self.product, **numbers, "queues": self.sorted_queues(order)}


def drawn(seen: Snapshot, order: str, lines: int) -> RenderableType:
    """The picture, with so many queues at most."""
    head = Text.assemble((seen.product, "bold"), f"  {seen.place}")
    if seen.trouble:
        head.append(f"\n{seen.trouble}", "red")
    rates = "   ".join(f"{name} {rate:,.0f}/s" for name, rate in seen.rates.items())
    depths = "   ".join(f"{name} {count:,}" for name, count in seen.depths.items())
    totals = "   ".join(f"{count:,} {name}" for name, count in seen.totals.items())
    shown = seen.sorted_queues(order)
    rest = len(shown) - lines
    foot = [Text(f"… and {rest:,} queues more", "dim")] if rest > 0 else []
    return Group(head, Text(f"flow      {rates}"), Text(f"messages  {depths}"), Text(totals), Text(),
                 _table(shown[:lines]), *foot)  # fmt: skip


def _table(queues: list[dict[str, Any]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("QUEUE", overflow="ellipsis", no_wrap=True)
    for name in ("READY", "UNACKED", "TOTAL", "IN/S", "OUT/S", "CONSUMERS"):
        table.add_column(name, justify="right")
    for each in queues:
        name = each["queue"] if each["vhost"] == "/" else f"{each['vhost']}  {each['queue']}"
        numbers = (
            each["ready"],
            each["unacked"],
            each["messages"],
            each["in"],
            each["out"],
            each["consumers"],
        )
        # A queue that fills and that nobody empties is what one looks for.
        style = "yellow" if each["ready"] and not each["consumers"] else ""
        table.add_row(Text(harmless(name)), *(f"{number:,.0f}" for number in numbers), style=style)
    return table


def _queue(told: Mapping[str, Any]) -> dict[str, Any]:
    stats = told.get("message_stats") or {}
    return {
        "vhost": told.get("vhost", "/"),
        "queue": told.get("name", ""),
        "state": told.get("state", ""),
        "ready": told.get("messages_ready", 0),
        "unacked": told.get("messages_unacknowledged", 0),
        "messages": told.get("messages", 0),
        "in": _rate(stats, "publish"),
        "out": _rate(stats, "deliver_get"),
        "consumers": told.get("consumers", 0),
    }


def _rate(stats: Mapping[str, Any], word: str) -> float:
    return float((stats.get(f"{word}_details") or {}).get("rate") or 0.0)
