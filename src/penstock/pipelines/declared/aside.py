"""Rows that are set aside: looked for, taken from the sink that refused them, and kept where people look."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from penstock.pipelines.declared.poison import PoisonRow, as_table, isolate, set_aside
from penstock.pipelines.declared.ports import Spared
from penstock.pipelines.sink.refused import read_refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame, SparkSession

    from penstock.clock import Clock
    from penstock.pipelines.declared.pipeline import Pipeline
    from penstock.pipelines.declared.place import Place

__all__ = ["Aside"]


class Aside:
    """What one pipeline sets aside."""

    def __init__(self, pipeline: Pipeline, place: Place, spark: SparkSession, clock: Clock) -> None:
        self._pipeline = pipeline
        self._place = place
        self._spark = spark
        self._clock = clock
        #: For the sink's own refusals.
        self.spared = Spared(place.refused, pipeline.set_aside_at_most)

    def __repr__(self) -> str:
        return f"<Aside of {self._pipeline.name}>"

    def find(self, batch: int, rows: DataFrame, is_over: Callable[[], bool]) -> Sequence[PoisonRow]:
        """The rows that are to blame for the failure of the pending batch, once they are kept.

        Raises:
            NoRowToBlame: there are none.
        """
        poison = isolate(self._pipeline, self._place, rows, is_over)
        self._keep(batch, poison)
        return poison

    def gather(self) -> dict[int, Sequence[PoisonRow]]:
        """What the sink has refused, by batch, once it is kept; nobody else looks into the sink's folder."""
        found: dict[int, Sequence[PoisonRow]] = {}
        for file, batch, rows in list(read_refused(self._place.refused)):
            found[batch] = [
                PoisonRow(
                    digest=hashlib.sha256(each.row.encode()).hexdigest(), row=each.row, reason=each.reason
                )
                for each in rows
            ]
            self._keep(batch, found[batch])
            file.unlink()
        return found

    def _keep(self, batch: int, poison: Sequence[PoisonRow]) -> None:
        """On disk first; whoever else is to keep them may be away."""
        now, keeper = self._clock.now(), self._pipeline.set_aside_to
        mark = set_aside(self._place, batch, poison, now)
        if keeper is not None:
            keeper.keep(as_table(self._spark, self._pipeline.name, batch, poison, now), mark)
