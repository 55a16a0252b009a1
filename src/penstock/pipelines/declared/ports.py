"""What a pipeline asks of its two ends: small frozen values, that say what is wanted and start nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

__all__ = ["Keeper", "Sink", "Source", "Spared"]


class Source(Protocol):
    """Where rows come from. As text it is what `penstock pipelines list` shows."""

    @property
    def after_reset(self) -> str:
        """Where a pipeline begins that has forgotten how far it came, for people."""
        ...

    def check(self, pipeline: str) -> None:
        """Look whether it can be read, without Spark, before anything starts.

        Raises:
            PenstockError: it cannot, and why.
        """

    def demand_free(self, pipeline: str) -> None:
        """Look whether it is read by nobody else who would be in the way, before anything starts.

        Raises:
            BadPipeline: it is, and by whom.
        """

    def load(self, spark: SparkSession, pipeline: str) -> DataFrame:
        """Its rows as a stream."""
        ...

    def sample(self, spark: SparkSession, rows: int) -> DataFrame:
        """Some of its rows, at most so many, for somebody who looks and takes none away."""
        ...


@dataclass(frozen=True, slots=True)
class Spared:
    """What becomes of rows that a sink will not have, while it takes the others."""

    #: Of the driver's machine: there they are written down (sink/refused.py).
    folder: Path
    #: If there are more in a batch, it fails.
    at_most: int


class Sink(Protocol):
    """Where rows go. As text it is what `penstock pipelines list` shows."""

    @property
    def keeps_columns(self) -> bool:
        """Whether rows of tomorrow must fit those of today."""
        ...

    @property
    def after_reset(self) -> str:
        """What becomes of rows that come a second time, for people."""
        ...

    def check(self, pipeline: str) -> None:
        """Look whether it can be written, without Spark, before anything starts.

        Raises:
            PenstockError: it cannot, and why.
        """

    @property
    def knows_bad_rows(self) -> bool:
        """Whether it can tell by itself which rows it will not have, and spare the others that."""
        ...

    def attach(self, rows: DataFrame, pipeline: str, spared: Spared | None = None) -> DataStreamWriter:
        """A writer of the stream, ready but for its trigger and its checkpoint.

        Args:
            rows: The stream.
            pipeline: Whose.
            spared: What becomes of rows that the sink knows to be bad; None fails their batch.
        """
        ...

    def try_out(self, rows: DataFrame) -> None:
        """Go through all that a batch of such rows goes through, and leave nothing of it.

        Raises:
            PenstockError: the sink will not have them. Spark's own errors: they cannot even be made.
        """


class Keeper(Protocol):
    """Who keeps rows that were set aside, for people and programs to look after."""

    def check(self, pipeline: str) -> None:
        """Look whether it can be written, without Spark, before anything starts.

        Raises:
            PenstockError: it cannot, and why.
        """

    def keep(self, rows: DataFrame, mark: str) -> None:
        """Keep rows (pipeline, batch, at, reason, row in JSON); those of one mark once, however often."""
