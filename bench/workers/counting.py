"""What every worker's handler does: nothing, but count.

Measured is from the first job to the last, so nobody's start; jobs a second and microseconds of the processor
for each are written to the file that RESULT names when JOBS are done. The broker is at BROKER, and the queue
is called QUEUE.
"""

from __future__ import annotations

import os
from pathlib import Path
from time import perf_counter, process_time

__all__ = ["BROKER", "JOBS", "QUEUE", "count"]

BROKER = os.environ["BROKER"]
QUEUE = os.environ["QUEUE"]
JOBS = int(os.environ["JOBS"])
RESULT = Path(os.environ["RESULT"])

_done = 0
_begun = 0.0
_spent = 0.0


def count() -> None:
    """A job is done."""
    global _done, _begun, _spent  # noqa: PLW0603  the least that counting can cost, the same for all
    if not _done:
        _begun, _spent = perf_counter(), process_time()
    _done += 1
    if _done == JOBS:
        rate = (JOBS - 1) / (perf_counter() - _begun)
        part = RESULT.with_suffix(".part")
        part.write_text(f"{rate} {1e6 * (process_time() - _spent) / JOBS}")
        part.rename(RESULT)
