"""Reports: the questions asked of a log, and the answers as small tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812  as Spark's own manual has it

from penstock.errors import BadSetting
from penstock.pipelines.event_log.log import EVENTS, LIVES
from penstock.pipelines.event_log.views import read_events, read_lives
from penstock.pipelines.instants import in_utc
from penstock.pipelines.reports import queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.event_log import EventLog

__all__ = ["NAMES", "Report", "made"]

#: In the order in which they are shown.
TITLES: Final = {
    "rates": "Events by type",
    "retries": "Deliveries by consumer and attempt",
    "failures": "Why messages died",
    "lead-times": "From published to acked, by route and consumer",
}
NAMES: Final = tuple(TITLES)
#: Those that need messages' lives.
_OF_LIVES: Final = {
    "retries": queries.retries,
    "failures": queries.failures,
    "lead-times": queries.lead_times,
}
#: Why a report is empty whose table was never filed.
_MISSING: Final = {
    EVENTS: "the log has no events: `penstock event-log run --queue QUEUE` files them",
    LIVES: "the log has no messages' lives: `penstock event-log run --lives QUEUE` files them",
}


@dataclass(frozen=True, slots=True)
class Report:
    """An answer: a small table."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    #: Why there are no rows, if there cannot be any.
    note: str = ""

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        index = self.columns.index(name)
        return [row[index] for row in self.rows]


def made(
    spark: SparkSession,
    log: EventLog,
    names: Sequence[str] = NAMES,
    *,
    since: float | None = None,
    until: float | None = None,
) -> list[Report]:
    """Reports of a log.

    Args:
        spark: A session.
        log: Which.
        names: Which reports; `NAMES` are all.
        since: From then on, in seconds since the epoch.
        until: Before then.

    Raises:
        BadSetting: there is no such report.
        UnknownTable: nothing was ever filed.
    """
    for name in names:
        if name not in TITLES:
            raise BadSetting(f"there is no report {name}; there are {', '.join(NAMES)}", setting="report")
    found, tables = [], log.tables()
    lives = queries.within(read_lives(spark, log), since, until).cache() if LIVES in tables else None
    for name in names:
        kind = LIVES if name in _OF_LIVES else EVENTS
        if kind not in tables:
            found.append(Report(name, TITLES[name], (), [], _MISSING[kind]))
        elif lives is not None and kind == LIVES:
            found.append(_collected(name, TITLES[name], _OF_LIVES[name](lives)))
        else:
            found.append(_rates(queries.within(read_events(spark, log), since, until)))
    if lives is not None:
        lives.unpersist()
    return found


def _rates(events: DataFrame) -> Report:
    ends = events.agg(F.min("at").alias("first"), F.max("at").alias("last")).collect()[0]
    if ends["first"] is None:
        return Report("rates", TITLES["rates"], (), [], "there are no events of that time")
    seconds, span = queries.span_for((ends["last"] - ends["first"]).total_seconds())
    return _collected("rates", f"{TITLES['rates']}, each {span}", queries.rates(events, seconds))


def _collected(name: str, title: str, answer: DataFrame) -> Report:
    rows = [tuple(in_utc(value) for value in row) for row in answer.collect()]
    note = "" if rows else "nothing of the kind happened"
    return Report(name, title, tuple(answer.columns), rows, note)
