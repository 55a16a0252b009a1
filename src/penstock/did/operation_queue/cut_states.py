"""The states of a cut, and the verbs that lead from one to the next. Pure.

    cut ──files──► files ──anchor──► anchored ──ack──► acked
     └──────nack─────┘ gone: its operations are posted anew

From `files` on the content of the batch is fixed: whoever goes on with it after a crash uses the files that
are written down, and anchors the same batch. What is anchored cannot be nacked any more.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ACKED", "ANCHORED", "BEFORE", "CUT", "FILES", "OPEN"]

CUT: Final = "cut"
FILES: Final = "files"
ANCHORED: Final = "anchored"
ACKED: Final = "acked"

#: Those that somebody must go on with.
OPEN: Final = (CUT, FILES, ANCHORED)

#: Verb → the states in which it may be done.
BEFORE: Final = {
    "files": (CUT,),
    "anchor": (FILES,),
    "ack": (ANCHORED,),
    #: Of a batch whose files leave out all its operations: there is nothing to anchor.
    "ack nothing": (FILES, ANCHORED),
    "nack": (CUT, FILES),
}
