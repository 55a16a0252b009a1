"""Pipelines for the panel: what each has written down of itself in its folder. That is read without Spark."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from penstock.panel.own.port import Pipeline
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.status import read_status

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.pipelines.declared.status import Status

__all__ = ["PipelinesFolder"]


class PipelinesFolder:
    """Pipelines that keep their data under one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def listed(self) -> list[Pipeline]:
        return await asyncio.to_thread(self._listed)

    def _listed(self) -> list[Pipeline]:
        if not self._folder.is_dir():
            return []
        places = [Place(self._folder, file.parent.name) for file in self._folder.glob("*/status.json")]
        return sorted((_shown(read_status(place)) for place in places), key=lambda each: each.name)


def _shown(status: Status) -> Pipeline:
    metrics = status.metrics
    return Pipeline(
        name=status.pipeline,
        state=str(status.state),
        batch=status.batch,
        rate=metrics.rows_per_second,
        rows=metrics.rows,
        lag=metrics.lag,
        failures=metrics.failures,
        set_aside=metrics.set_aside,
        last_error=status.error,
        ui=status.ui,
        updated_at=status.at,
    )
