"""A pipeline tried on a few rows: nothing is committed, nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from penstock.errors import PipelineError
from penstock.pipelines.declared.reasons import reason_of

if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import SparkSession

    from penstock.pipelines.declared.pipeline import Pipeline

__all__ = ["Trial", "try_out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What a pipeline makes of a sample."""

    #: Column and type, in Spark's words.
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Any, ...], ...]


def try_out(pipeline: Pipeline, spark: SparkSession, rows: int) -> Trial:
    """What it makes of at most so many rows.

    Raises:
        PipelineError: it fails on them, and why.
    """
    try:
        made = pipeline.transform(pipeline.source.sample(spark, rows))
        columns = tuple((field.name, field.dataType.simpleString()) for field in made.schema.fields)
        return Trial(columns=columns, rows=tuple(tuple(row) for row in made.limit(rows).collect()))
    except PySparkException as exc:
        raise PipelineError(f"pipeline {pipeline.name} fails on the sample: {reason_of(exc)}") from exc
