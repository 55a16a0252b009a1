"""Where our errors become Spark's: one clear sentence, without the path through a worker's code."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.errors import PenstockError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["plainly"]


@contextmanager
def plainly() -> Iterator[None]:
    """Let an error of ours end this worker with its text alone.

    Spark sends a worker's traceback to the driver, unless this variable is set when the error passes. The
    process ends with it, so nobody else's traceback is hidden.
    """
    try:
        yield
    except PenstockError as error:
        os.environ["SPARK_HIDE_TRACEBACK"] = "1"
        raise error from None
