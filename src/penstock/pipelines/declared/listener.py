"""Spark's own news of its queries, passed on to whom they concern."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.pipelines.declared.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ProgressListener"]


class ProgressListener:
    """Tells each pipeline when one of its batches is done."""

    def __init__(self) -> None:
        self._told: dict[str, Callable[[Progress], None]] = {}

    def __repr__(self) -> str:
        return f"<ProgressListener of {len(self._told)} pipelines>"

    def tell(self, pipeline: str, told: Callable[[Progress], None]) -> None:
        """From now on, tell of this pipeline's batches."""
        self._told[pipeline] = told

    def hear(self, progress: str) -> None:
        """A batch of some query is done, in Spark's words."""
        said = json.loads(progress)
        told = self._told.get(said.get("name") or "")
        if told is not None and (read := Progress.read(said)) is not None:
            told(read)
