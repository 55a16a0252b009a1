"""Threads in files, one of them without a title, and what pipelines make of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pyspark.sql import functions as F  # noqa: N812 (as Spark's own manual has it)

from penstock.clock import SystemClock
from penstock.pipelines.declared import Files, Pipelines
from penstock.pipelines.declared.supervising import Supervisor

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.declared import Pipeline

SCHEMA = "id LONG, title STRING"
POISON = 7
NO_TITLE = "[USER_RAISED_EXCEPTION] no title"


def loudly(rows: DataFrame) -> DataFrame:
    """Fails on a thread without a title."""
    title = F.coalesce("title", F.raise_error(F.lit("no title")))
    return rows.select("id", F.upper(title).alias("title"))


def plainly(rows: DataFrame) -> DataFrame:
    return rows.select("id", "title")


def row(number: int) -> tuple[int, str | None]:
    return number, None if number == POISON else f"thread {number}"


def write_threads(folder: Path, file: str, ids: range) -> Files:
    """Write some into a file; the folder, read a file at a time."""
    folder.mkdir(exist_ok=True)
    rows = [dict(zip(("id", "title"), row(each), strict=True)) for each in ids]
    (folder / file).write_text("\n".join(map(json.dumps, rows)))
    return Files(folder, SCHEMA, max_files=1)


def supervised(data: Path, spark: SparkSession, *pipelines: Pipeline, once: bool = True) -> Supervisor:
    return Supervisor(Pipelines(pipelines), data, spark, clock=SystemClock(), once=once)
