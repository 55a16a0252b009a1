"""Where a pipeline's rows come from: queues, files, and Spark's own counter for trying things out.

Each is a frozen value that builds Spark's options. Nothing here reads a row.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from penstock.errors import BadPipeline, PenstockError
from penstock.pipelines.options import SourceOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["BROKER", "Files", "Queue", "Rate", "absolute"]

#: Where the environment says that the broker is, for applications too. So no plan of Spark's has a password.
BROKER: Final = "env:MQ_URL"


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of Penstock's, or of another broker's by way of a spool."""

    queue: str
    #: The class of its messages, whose fields become columns; None leaves the body as it is.
    type: type[Any] | None = None
    #: amqp://…, env:NAME of a variable that has it, or file:PATH of a file that has it.
    url: str = BROKER
    #: Under which name the broker knows how far one is; None is the pipeline's.
    reader: str | None = None
    max_rows: int = 100_000
    max_bytes: int | None = None
    partitions: int = 2
    #: Which of a message's columns, and `header_NAME` of its headers; None are those that most people want.
    columns: tuple[str, ...] | None = None
    #: A folder that every executor sees. A broker that is not Penstock needs it.
    spool: str | Path | None = None

    def options(self, pipeline: str) -> dict[str, str]:
        """As Spark is told."""
        given: Mapping[str, Any] = {
            "url": self.url,
            "queue": self.queue,
            "reader": self.reader or pipeline,
            "max_rows": self.max_rows,
            "max_bytes": self.max_bytes,
            "partitions": self.partitions,
            "columns": None if self.columns is None else ",".join(self.columns),
            "schema_type": None if self.type is None else f"{self.type.__module__}.{self.type.__qualname__}",
            "spool": None if self.spool is None else absolute(self.spool),
        }
        return {name: str(value) for name, value in given.items() if value is not None}

    def check(self, pipeline: str) -> None:
        from penstock.pipelines.source.origin import check_origin  # noqa: PLC0415 (a list needs no client)

        with _of(pipeline):
            check_origin(SourceOptions.read(self.options(pipeline)))

    def demand_free(self, pipeline: str) -> None:
        from penstock.pipelines.source.free import demand_free  # noqa: PLC0415 (likewise)

        with _of(pipeline):
            demand_free(SourceOptions.read(self.options(pipeline)))

    def load(self, spark: SparkSession, pipeline: str) -> DataFrame:
        from penstock.pipelines.registering import register  # noqa: PLC0415 (likewise)

        register(spark)
        return spark.readStream.format("penstock").options(**self.options(pipeline)).load()

    def sample(self, spark: SparkSession, rows: int) -> DataFrame:
        from penstock.pipelines.declared.sampling import sampled  # noqa: PLC0415 (likewise)

        return sampled(spark, SourceOptions.read(self.options("sample")), rows)

    @property
    def after_reset(self) -> str:
        return "it begins with what the broker has not seen committed; what was committed is gone for good"

    def __str__(self) -> str:
        return f"queue {self.queue}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """Spark's counter: so many rows in each batch, for trying a pipeline out."""

    rows_per_batch: int = 10
    partitions: int = 1

    def check(self, pipeline: str) -> None:
        """It always works."""
        if self.rows_per_batch < 1 or self.partitions < 1:
            raise BadPipeline(f"pipeline {pipeline}: a rate has at least one row, in one partition")

    def demand_free(self, pipeline: str) -> None:
        """Everybody has a counter of his own."""

    def load(self, spark: SparkSession, pipeline: str) -> DataFrame:
        options = {"rowsPerBatch": str(self.rows_per_batch), "numPartitions": str(self.partitions)}
        return spark.readStream.format("rate-micro-batch").options(**options).load()

    def sample(self, spark: SparkSession, rows: int) -> DataFrame:
        return spark.range(rows).selectExpr("timestamp_seconds(id) AS timestamp", "id AS value")

    @property
    def after_reset(self) -> str:
        return "it counts from 0 again"

    def __str__(self) -> str:
        return f"rate of {self.rows_per_batch}"


@dataclass(frozen=True, slots=True)
class Files:
    """Files that appear in a folder: JSON, CSV, Parquet or any other format that Spark knows."""

    path: str | Path
    #: The columns: `id LONG, title STRING`, or Spark's own description.
    schema: str | StructType
    format: str = "json"
    #: Files in one batch; None is all there are.
    max_files: int | None = None

    def check(self, pipeline: str) -> None:
        if "://" not in str(self.path) and not Path(self.path).is_dir():
            raise BadPipeline(f"pipeline {pipeline}: there is no folder {self.path}")

    def demand_free(self, pipeline: str) -> None:
        """Any number may read files."""

    def load(self, spark: SparkSession, pipeline: str) -> DataFrame:
        options = {} if self.max_files is None else {"maxFilesPerTrigger": str(self.max_files)}
        return (
            spark.readStream.format(self.format)
            .schema(self.schema)
            .options(**options)
            .load(absolute(self.path))
        )

    def sample(self, spark: SparkSession, rows: int) -> DataFrame:
        return spark.read.format(self.format).schema(self.schema).load(absolute(self.path)).limit(rows)

    @property
    def after_reset(self) -> str:
        return f"it reads every file in {self.path} again"

    def __str__(self) -> str:
        return f"{self.format} in {self.path}"


@contextmanager
def _of(pipeline: str) -> Iterator[None]:
    """What is wrong, with the pipeline that it is wrong with."""
    try:
        yield
    except PenstockError as exc:
        raise BadPipeline(f"pipeline {pipeline}: {exc}") from exc


def absolute(path: str | Path) -> str:
    """The path as executors understand it, who have another working directory; a URL is one already."""
    return str(path) if "://" in str(path) else str(Path(path).absolute())
