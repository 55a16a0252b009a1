"""The real broker in a test, with a clock that the test moves.

    async with testing.broker() as broker:
        client = await broker.connect()
        ...
        await broker.advance("3 days")

The pytest plugin has it as the fixture `penstock_broker`. pytest loads that plugin, and with it this
file, at every start: so the rest is loaded when it is asked for, not before.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.testing.controlled import ControlledBroker
    from penstock.testing.controlled import ControlledBroker as broker  # noqa: N813 (reads as what it gives)
    from penstock.testing.crash_points import Crash, crash_after, crash_before
    from penstock.testing.faults import Point, Trap
    from penstock.testing.queues import SeenMessage, SeenQueue

__all__ = [
    "ControlledBroker",
    "Crash",
    "Point",
    "SeenMessage",
    "SeenQueue",
    "Trap",
    "broker",
    "crash_after",
    "crash_before",
]

#: Name → file, and name there.
_HOMES = {
    "ControlledBroker": ("controlled", "ControlledBroker"),
    "Crash": ("crash_points", "Crash"),
    "Point": ("faults", "Point"),
    "SeenMessage": ("queues", "SeenMessage"),
    "SeenQueue": ("queues", "SeenQueue"),
    "Trap": ("faults", "Trap"),
    "broker": ("controlled", "ControlledBroker"),
    "crash_after": ("crash_points", "crash_after"),
    "crash_before": ("crash_points", "crash_before"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    file, there = _HOMES[name]
    return getattr(import_module(f"{__name__}.{file}"), there)
