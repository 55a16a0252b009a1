"""pyarrow, imported when somebody asks for a table and not before: most brokers and clients never do."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any

from penstock.errors import ArrowMissing

__all__ = ["arrow"]


@cache
def arrow() -> Any:
    """The module pyarrow, with its `ipc` and `compute`.

    Raises:
        ArrowMissing: it is not installed here.
    """
    try:
        for part in ("pyarrow.compute", "pyarrow.ipc"):
            importlib.import_module(part)
        return importlib.import_module("pyarrow")
    except ImportError as exc:
        raise ArrowMissing(
            "queues as tables need pyarrow, which is not installed here: pip install 'penstock[arrow]'"
        ) from exc
