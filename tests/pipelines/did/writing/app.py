"""A Spark driver with a domain's batch writer, to be killed with -9 at one of its steps.

    python -m tests.pipelines.did.writing.app PLACES DATA MASTER STEP

It runs until it is killed: by itself when it comes to the step; with an empty one it lives.
"""

from __future__ import annotations

import os
import signal
import sys
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.clock import SystemClock
from penstock.did.domain import Places
from penstock.did.operation_queue import Cut
from penstock.pipelines.declared import Pipelines
from penstock.pipelines.declared.supervising import Supervisor
from penstock.pipelines.did.writing.batch_writer import BatchWriter, writing
from penstock.pipelines.session import open_session

if TYPE_CHECKING:
    from collections.abc import Callable

BEFORE, AFTER = True, False
#: Where each step is, and whether the end comes before or after it.
STEPS: dict[str, tuple[type, str, bool]] = {
    "a cut is made": (Cut, "__init__", BEFORE),
    "a cut is on the desk": (Cut, "__init__", AFTER),
    "files are written": (BatchWriter, "_settle", BEFORE),
    "files are recorded": (Cut, "record_files", AFTER),
    "Spark has not committed": (BatchWriter, "_settle", AFTER),
    "it is about to be anchored": (Cut, "record_anchor", BEFORE),
    "it is anchored": (Cut, "record_anchor", AFTER),
    "it is about to be acked": (Cut, "ack", BEFORE),
    "it is acked": (Cut, "ack", AFTER),
}


def end_at(step: str) -> None:
    """Let this process be killed there."""
    owner, name, is_before = STEPS[step]
    whole: Callable[..., Any] = getattr(owner, name)

    async def at_last(*values: Any, **more: Any) -> Any:
        if not is_before:
            await whole(*values, **more)
        os.kill(os.getpid(), signal.SIGKILL)

    def at_last_here(*values: Any, **more: Any) -> Any:
        if not is_before:
            whole(*values, **more)
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, name, at_last if iscoroutinefunction(whole) else at_last_here)


def run(places: str, data: str, master: str, step: str) -> None:
    if step:
        end_at(step)
    settings = {"spark.executor.memory": "512m", "spark.task.maxFailures": "8"}
    with (
        open_session("batch writer", master, brief=True, settings=settings) as spark,
        writing(Places.from_json(places)) as pipelines,
    ):
        Supervisor(Pipelines(pipelines), Path(data), spark, clock=SystemClock()).run()


if __name__ == "__main__":
    run(*sys.argv[1:])
