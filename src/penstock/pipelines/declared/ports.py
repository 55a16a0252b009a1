"""What a pipeline asks of its two ends: small frozen values, that say what is wanted and start nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

__all__ = ["Keeper", "Sink", "Source"]


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

    def attach(self, rows: DataFrame, pipeline: str) -> DataStreamWriter:
        """A writer of the stream, ready but for its trigger and its checkpoint."""
        ...


class Keeper(Protocol):
    """Who keeps rows that were set aside, for people and programs to look after."""

    def check(self, pipeline: str) -> None:
        """Look whether it can be written, without Spark, before anything starts.

        Raises:
            PenstockError: it cannot, and why.
        """

    def keep(self, rows: DataFrame, mark: str) -> None:
        """Keep rows (pipeline, batch, at, reason, row in JSON); those of one mark once, however often."""
