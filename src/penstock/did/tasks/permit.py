"""Permits: which instance runs a task, and what another may conclude from what the permit says. Pure.

no permit ──────────────────────────────────► take it, run
mine, and the interval is over ─────────────► run
mine, and it runs here ─────────────────────► say so
another's, silent for longer than both intervals ► take it over, run

An instance is silent for so long if its permit tells of a time that long ago, or if the permit has told the
same for that long: its clock may be wrong, and it may have died with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = ["IDLE", "RUNNING", "Permit", "Step", "next_step"]

IDLE: Final = "idle"
RUNNING: Final = "running"


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to run a task, as the database has it."""

    holder: str
    #: Idle or running.
    status: str
    #: When the holder spoke last, in seconds since the epoch.
    updated_at: float


class Step(Enum):
    """What an instance does about a task now."""

    RUN = "run"
    REFRESH = "refresh"
    NOTHING = "nothing"


def next_step(
    permit: Permit | None,
    me: str,
    now: float,
    *,
    interval: float,
    check_interval: float,
    is_running: bool,
    unchanged: float = 0.0,
) -> Step:
    """What to do, by what the permit says.

    Args:
        permit: None if nobody has ever run the task.
        me: This instance.
        now: Seconds since the epoch.
        interval: The task's.
        check_interval: How often each instance looks.
        is_running: Whether the task runs here at this moment.
        unchanged: Seconds since the permit has been seen as it is.
    """
    if is_running:
        return Step.REFRESH
    if permit is None:
        return Step.RUN
    silent = max(now - permit.updated_at, unchanged)
    if permit.holder == me:
        return Step.RUN if silent >= interval else Step.NOTHING
    return Step.RUN if silent > check_interval + interval else Step.NOTHING
