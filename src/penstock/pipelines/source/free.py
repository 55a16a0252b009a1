"""Whether a reader is free: asked before a query starts that would wait for it, and then fail.

Nothing is taken off the queue. A reader of Penstock's is leased for a moment; of a spool it is enough to see
who writes to it.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Final

from penstock.errors import ReaderInUse
from penstock.pipelines.source.hold import Hold
from penstock.pipelines.source.origin import open_origin, spool_of

if TYPE_CHECKING:
    from penstock.pipelines.options import SourceOptions

__all__ = ["demand_free"]

#: Seconds before each look: a query that was stopped takes a moment to end.
LOOK_IN: Final = (0.0, 0.2, 0.4, 0.6, 0.8)


def demand_free(options: SourceOptions) -> None:
    """See that no query that runs has the reader which the options name.

    Raises:
        ReaderInUse: one has, and who.
        UnknownQueue, LoginRefused, NotPermitted, NotConnected: as of `Taking.open`.
    """
    if not options.spool:
        taking = open_origin(options)
        try:
            Hold(taking).release()
        finally:
            taking.close()
        return
    from penstock.pipelines.spool.spool import maybe_writer  # noqa: PLC0415 (as in origin.py)

    folder, writer = spool_of(options), None
    for wait in LOOK_IN:
        threading.Event().wait(wait)
        writer = maybe_writer(folder)
        if writer is None:
            return
    raise ReaderInUse(f"the spool {folder} is in use by {writer}", holder=str(writer), until=math.inf)
