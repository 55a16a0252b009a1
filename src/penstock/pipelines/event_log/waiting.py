"""Waiting for queries, until they end, fail, or somebody asks them to stop."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

from penstock.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["wait"]


def wait(queries: Sequence[StreamingQuery]) -> bool:
    """Until all have ended, then True; or until Ctrl-C or the signal TERM, then False. All are stopped then.

    Raises:
        PipelineError: one has failed, and why.
    """
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        while any(query.isActive for query in queries):
            for query in queries:
                query.awaitTermination(1)
                _check(query)
    except KeyboardInterrupt:
        return False
    finally:
        signal.signal(signal.SIGTERM, before)
        for query in queries:
            query.stop()
    return True


def _check(query: StreamingQuery) -> None:
    failed = query.exception()
    if failed is not None:
        raise PipelineError(f"{query.name} failed: {str(failed).strip().splitlines()[-1]}")


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt
