"""What is told of Spark's pipelines, as those who run them have told."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from penstock.panel.metrics.family import COUNTER, GAUGE, Family, labelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.panel.own.port import Pipeline

__all__ = ["PIPELINES", "by_pipeline"]


class PipelineFamily(NamedTuple):
    """One family."""

    family: Family
    #: What a pipeline tells; None if it does not.
    of: Callable[[Pipeline], float | None]


PIPELINES: Final = (
    PipelineFamily(
        Family("penstock_pipeline_running", GAUGE, "1 while a pipeline runs, else 0"),
        lambda pipeline: int(pipeline.state == "running"),
    ),
    PipelineFamily(
        Family("penstock_pipeline_rows_per_second", GAUGE, "Rows a second of a pipeline's last batch"),
        attrgetter("rate"),
    ),
    PipelineFamily(
        Family("penstock_pipeline_lag_rows", GAUGE, "Rows that wait at a pipeline's source"),
        attrgetter("lag"),
    ),
    PipelineFamily(
        Family("penstock_pipeline_batch", GAUGE, "Number of the last batch that a pipeline has done"),
        attrgetter("batch"),
    ),
    PipelineFamily(
        Family("penstock_pipeline_rows_total", COUNTER, "Rows that a pipeline has done since it started"),
        attrgetter("rows"),
    ),
    PipelineFamily(
        Family("penstock_pipeline_failures_total", COUNTER, "Times that a pipeline has failed"),
        attrgetter("failures"),
    ),
    PipelineFamily(
        Family("penstock_pipeline_rows_set_aside_total", COUNTER, "Rows that a pipeline could not handle"),
        attrgetter("set_aside"),
    ),
)


def by_pipeline(pipelines: Sequence[Pipeline]) -> Iterator[str]:
    """Every pipeline for itself; they are few."""
    for family, of in PIPELINES:
        rows = [(labelled(pipeline=each.name), of(each)) for each in pipelines]
        yield family.told([(labels, value) for labels, value in rows if value is not None])
