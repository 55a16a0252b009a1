"""Pipelines as declared things: where rows come from, what is made of them, where they go.

    @pipeline("threads", source=Queue("threads"), sink=Delta("tables/threads"))
    def threads(rows: DataFrame) -> DataFrame:
        return rows.select("id", "title")

Nothing starts when one is declared, and none of these names needs Spark to be imported.
`penstock pipelines run` runs them.
"""

from penstock.pipelines.declared.pipeline import Pipeline, pipeline
from penstock.pipelines.declared.registry import Pipelines
from penstock.pipelines.declared.sinks import Delta, Parquet, Publish, Upsert
from penstock.pipelines.declared.sources import Files, Queue, Rate

__all__ = [
    "Delta",
    "Files",
    "Parquet",
    "Pipeline",
    "Pipelines",
    "Publish",
    "Queue",
    "Rate",
    "Upsert",
    "pipeline",
]
