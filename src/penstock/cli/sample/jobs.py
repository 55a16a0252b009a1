"""The waterworks' jobs: `penstock worker penstock.cli.sample.jobs:routes` does them."""

from __future__ import annotations

from typing import Any, Final

from penstock.cli.sample.events import JOBS, Valve
from penstock.clock import SystemClock, sleep
from penstock.errors import TransientError
from penstock.messaging import Backoff
from penstock.workers import Job, Routes

__all__ = ["routes"]

#: Steps of an inspection, and seconds for each: long enough to be watched.
STEPS: Final = 8
STEP_S: Final = 0.5
#: The valve whose pump never passes: its tests become dead letters.
WORN_OUT: Final = "valve 7"

routes = Routes(JOBS)
_clock = SystemClock()


@routes.route("/valve/inspect")
async def inspect(job: Job[Valve]) -> dict[str, Any]:
    """Look at a valve, and say how far that is."""
    for step in range(1, STEPS + 1):
        await sleep(_clock, STEP_S)
        job.report({"step": step, "of": STEPS})
    return {"valve": job.content.valve, "is_fine": True}


@routes.route("/valve/repair")
async def repair(job: Job[Valve]) -> str:
    """Mend a valve; it was put for later."""
    return f"{job.content.valve} is mended"


@routes.route("/pump/test", retry=Backoff(attempts=3, initial=2.0, cap=10.0))
async def test(job: Job[Valve]) -> str:
    """A test that passes at the second try, but for a pump that is worn out."""
    if job.content.valve == WORN_OUT or not job.attempts:
        raise TransientError(f"the pump at {job.content.valve} has too little pressure")
    return f"the pump at {job.content.valve} has passed"


@routes.route("/report")
async def report(job: Job[dict[str, Any]]) -> None:
    """What comes every minute by itself."""


routes.cron("* * * * *", JOBS, "/report", name="waterworks report")
