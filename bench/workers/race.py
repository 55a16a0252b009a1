"""Sides that do the same jobs in turns, each in one worker process, and who must be how much quicker.

Knows nothing of who takes part: __main__.py has them. Jobs wait in their queue before a worker is started.
Beside jobs a second it tells the processor's time for a job, which a busy machine disturbs less.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Pace", "Row", "Side", "print_report", "raced"]

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[1]
#: Seconds for one side's jobs.
PATIENCE: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """How jobs are sent and done, and on which broker."""

    name: str
    broker: str
    #: Enough for some seconds.
    jobs: int
    send: Sequence[str | Path]
    work: Sequence[str | Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Ours beside theirs, and what ours must be at least, as a multiple of theirs."""

    ours: Side
    theirs: Side
    wanted: float


class Pace(NamedTuple):
    """What counting.py has written."""

    jobs_a_second: float
    #: Microseconds of the worker process.
    processor: float


def raced(
    sides: Sequence[Side], brokers: Mapping[str, str], *, rounds: int, share: float
) -> dict[str, list[Pace]]:
    """Have each side do that share of its jobs in turns, and once more before, to warm up; round by round."""
    paces: dict[str, list[Pace]] = {side.name: [] for side in sides}
    for number in range(rounds + 1):
        for side in sides:
            pace = _run(side, brokers[side.broker], int(side.jobs * share))
            if number:
                paces[side.name].append(pace)
    return paces


def print_report(rows: Sequence[Row], paces: Mapping[str, list[Pace]]) -> bool:
    """Print the table; whether all limits are kept."""
    print(f"{'':24}{'jobs':>12}{'spread':>8}{'processor':>14}")
    medians: dict[str, float] = {}
    for name, found in paces.items():
        rates, processor = zip(*found, strict=True)
        rate = medians[name] = median(rates)
        spread = (max(rates) - min(rates)) / rate
        print(f"{name:24}{rate:10,.0f}/s{spread:8.0%}{median(processor):8.1f} µs/job")
    verdicts = []
    for row in rows:
        ratio = medians[row.ours.name] / medians[row.theirs.name]
        verdicts.append(ratio >= row.wanted)
        told = "ok" if verdicts[-1] else "MISSED"
        print(f"{row.ours.name} / {row.theirs.name}: {ratio:.2f} ≥ {row.wanted:g}  {told}")
    return all(verdicts)


def _run(side: Side, url: str, jobs: int) -> Pace:
    """Send one side's jobs, and have them done."""
    with tempfile.TemporaryDirectory() as folder:
        result, log = Path(folder) / "pace", Path(folder) / "log"
        environment = {
            **os.environ,
            "BROKER": url,
            "MQ_URL": url,
            "QUEUE": f"bench-{uuid.uuid4().hex[:8]}",
            "JOBS": str(jobs),
            "RESULT": str(result),
            "PYTHONPATH": os.pathsep.join(map(str, (ROOT / "src", HERE))),
        }
        subprocess.run(side.send, cwd=HERE, env=environment, check=True, timeout=PATIENCE)
        with log.open("wb") as said:
            worker = subprocess.Popen(
                side.work, cwd=HERE, env=environment, stdout=said, stderr=said, start_new_session=True
            )
        try:
            until = time.monotonic() + PATIENCE
            while not result.exists():
                assert worker.poll() is None, log.read_text()
                assert time.monotonic() < until, log.read_text()
                time.sleep(0.05)
            return Pace(*map(float, result.read_text().split()))
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
