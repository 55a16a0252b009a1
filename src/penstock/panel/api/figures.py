"""Counts, rates and depths, now and before, under the names that RabbitMQ has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from penstock.broker import Counts
from penstock.broker.counts import COUNTED
from penstock.panel.api.samples import details

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.broker import Depths, Growth, Passed, Rates
    from penstock.panel.api.samples import Past

__all__ = ["depths_told", "message_stats", "passed_told"]

N = TypeVar("N", int, float)

#: RabbitMQ's name → which of the Counts. It tells gets from deliveries, here both are one; two are ours.
NAMES: Final = {
    "publish": "published",
    "deliver_get": "delivered",
    "deliver": "delivered",
    "ack": "acked",
    "redeliver": "redelivered",
    "expire": "expired",
    "die": "dead",
}
_ROWS: Final = [(name, f"{name}_details", Counts._fields.index(field)) for name, field in NAMES.items()]
#: Those of the depths whose past is told, and where they stand in it: behind the counts, all of them last.
_LEVELS: Final = {"messages_ready_details": COUNTED, "messages_unacknowledged_details": COUNTED + 1}
_PASSED: Final = ("publish_in", "publish_out")


def message_stats(counts: Counts, rates: Rates, past: Past = None) -> dict[str, Any]:
    """What has flowed, and what flows a second."""
    told: dict[str, Any] = {}
    for name, name_details, at in _ROWS:
        told[name] = counts[at]
        told[name_details] = {"rate": rates[at]} if past is None else details(rates[at], past, at)
    return told


def depths_told(depths: Depths, growth: Growth, past: Past = None) -> dict[str, Any]:
    """What stands where; RabbitMQ knows the first three, and the first is the sum of the others."""
    ready, held, delayed, buried, taken = depths
    told: dict[str, Any] = {
        "messages": total(depths),
        "messages_ready": ready,
        "messages_unacknowledged": held,
        "messages_delayed": delayed,
        "messages_buried": buried,
        "messages_taken": taken,
    }
    for name, at in _LEVELS.items():
        told[name] = details(growth[at - COUNTED], past, at)
    totals = None if past is None else [(at, [total(figures[COUNTED:])]) for at, figures in past]
    told["messages_details"] = details(total(growth), totals, 0)
    return told


def total(depths: Sequence[N]) -> N:
    """What RabbitMQ calls all messages of a queue: those that are ready, and those in consumers' hands."""
    return depths[0] + depths[1]


def passed_told(passed: Passed, rates: tuple[float, ...], past: Past = None) -> dict[str, Any]:
    """What has come to an exchange, and what of it went on to queues."""
    told: dict[str, Any] = {}
    for at, name in enumerate(_PASSED):
        told[name] = passed[at]
        told[f"{name}_details"] = details(rates[at], past, at)
    return told
