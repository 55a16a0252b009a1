"""The states of an anchor of one's own, and the verbs that lead from one to the next. Pure.

    in-process ──prove──► proved ──complete──► completed

In process it collects proofs. With the proof that meets the policy its linkset is final: from then on,
however often it is published, it is the same linkset with the same hash. It is published before it is
completed (orb#535): a crash between the two publishes it again, and loses nothing.
"""

from __future__ import annotations

from typing import Final

__all__ = ["COMPLETED", "IN_PROCESS", "OPEN", "PROVED"]

IN_PROCESS: Final = "in-process"
PROVED: Final = "proved"
COMPLETED: Final = "completed"

#: Those that somebody must go on with.
OPEN: Final = (IN_PROCESS, PROVED)
