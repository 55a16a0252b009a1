"""Schedules: what waits for its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.panel.replies import DONE, ApiFault, json_reply

if TYPE_CHECKING:
    from penstock.panel.own.port import Schedules
    from penstock.panel.replies import Reply
    from penstock.panel.visit import Visit

__all__ = ["cancel", "listed", "run"]


async def listed(visit: Visit) -> Reply:
    """Jobs with a key, and crons, the next first."""
    return json_reply(await _schedules(visit).listed(visit.number("limit", 200, most=1000)))


async def run(visit: Visit, key: str) -> Reply:
    """Have a job be due now."""
    return _if_there(key, await _schedules(visit).run(key))


async def cancel(visit: Visit, key: str) -> Reply:
    """Forget a job."""
    return _if_there(key, await _schedules(visit).cancel(key))


def _schedules(visit: Visit) -> Schedules:
    schedules: Schedules = visit.panel.resources.demand("schedules")
    return schedules


def _if_there(key: str, was_there: bool) -> Reply:  # noqa: FBT001 (what a verb answered)
    if not was_there:
        raise ApiFault(404, f"there is no job {key!r}, or it is leaving this moment; crons are the code's")
    return DONE
