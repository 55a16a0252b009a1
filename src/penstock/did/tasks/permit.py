"""Permits: which instance runs a task, and what another may conclude from what the permit says. Pure.

no permit ──────────────────────────────────► take it, run
mine, and the interval is over ─────────────► run
mine, and it runs here ─────────────────────► say so
another's, silent for longer than both intervals ► take it over, run

Each says by its own clock when it spoke last, and clocks may be wrong, by hours. So what counts is when this
instance has heard something new of another, by the clock here. Only of one that it hears of for the first
time it has nothing else to go by than what that one says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

__all__ = ["IDLE", "RUNNING", "Permit", "Seen", "Step", "next_step", "seen_now"]

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


@dataclass(frozen=True, slots=True)
class Seen:
    """A permit as it was seen last, None if nobody had ever run the task."""

    permit: Permit | None
    #: When its holder was heard of last, by the clock here.
    heard_at: float


def seen_now(permit: Permit | None, before: Seen | None, now: float) -> Seen:
    """The permit as it is seen now.

    Args:
        permit: What it says.
        before: As it was seen last, by this instance; None if it was not.
        now: Seconds since the epoch.
    """
    if before is not None:
        return before if permit == before.permit else Seen(permit, now)
    return Seen(permit, now if permit is None else min(permit.updated_at, now))


class Step(Enum):
    """What an instance does about a task now."""

    RUN = "run"
    REFRESH = "refresh"
    NOTHING = "nothing"


def next_step(
    seen: Seen, me: str, now: float, *, interval: float, check_interval: float, is_running: bool
) -> Step:
    """What to do, by what the permit says.

    Args:
        seen: The permit as it is seen now.
        me: This instance.
        now: Seconds since the epoch.
        interval: The task's.
        check_interval: How often each instance looks.
        is_running: Whether the task runs here at this moment.
    """
    if is_running:
        return Step.REFRESH
    permit = seen.permit
    if permit is None:
        return Step.RUN
    if permit.holder == me:
        return Step.RUN if now - permit.updated_at >= interval else Step.NOTHING
    return Step.RUN if now - seen.heard_at > check_interval + interval else Step.NOTHING
