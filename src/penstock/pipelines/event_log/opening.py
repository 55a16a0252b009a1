"""A log and a session of Spark to ask it with, for commands."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from penstock.pipelines import session
from penstock.pipelines.event_log.log import EventLog

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

__all__ = ["Opened", "opened_log"]


class Opened(NamedTuple):
    """What a command is about."""

    spark: SparkSession
    log: EventLog


@contextmanager
def opened_log(path: str, master: str) -> Iterator[Opened]:
    """The log, and a session for a few questions.

    Raises:
        UnknownTable: there is no log; told before Spark is waited for.
    """
    log = EventLog(path)
    log.tables()
    with session.open_session("penstock event log", master, brief=True) as spark:
        yield Opened(spark, log)
