"""Questions to the log, in SQL, that change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyspark.errors import PySparkException

from penstock.errors import BadExpression
from penstock.pipelines.event_log.views import register_views
from penstock.pipelines.saying import first_line

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from penstock.pipelines.event_log.log import EventLog

__all__ = ["ask"]

#: How a question begins.
_QUESTIONS: Final = ("select", "with", "from", "values", "table", "show", "describe", "explain")


def ask(
    spark: SparkSession, log: EventLog, query: str, limit: int
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The columns and the first rows of an answer.

    Raises:
        BadExpression: it is no question, or cannot be answered, and why.
    """
    if not query.strip("( \n\t").lower().startswith(_QUESTIONS):
        raise BadExpression(f"the log is only asked: a query begins with SELECT, not {query.split()[:1]}")
    try:
        register_views(spark, log)
        found = spark.sql(query)
        return found.columns, [tuple(row) for row in found.limit(limit).collect()]
    except PySparkException as exc:
        raise BadExpression(f"{query!r} cannot be answered: {first_line(exc)}") from exc
