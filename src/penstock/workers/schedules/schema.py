"""The table of schedules, in SQLite or PostgreSQL."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Double, Index, Integer, LargeBinary, MetaData, Table, Text

from penstock.messaging.layout import Layout, adding
from penstock.messaging.tracing import TRACEPARENT, TRACESTATE

__all__ = ["SCHEDULES", "firings", "schedules"]

_metadata: Final = MetaData()

schedules: Final = Table(
    "penstock_schedules",
    _metadata,
    # `job <key>` or `cron <name>`: the two cannot take each other's place.
    Column("key", Text, primary_key=True),
    Column("due_at", Double, nullable=False),
    Column("version", Integer, nullable=False),
    #: Until then a scheduler is at it.
    Column("claimed_until", Double, nullable=False),
    #: Of a cron: the expression that due_at was found with.
    Column("cron", Text),
    # Of a job
    Column("job", Text),
    Column("queue", Text),
    Column("body", LargeBinary),
    Column("priority", Integer),
    #: The trace that it is part of, as its message will carry it.
    Column(TRACEPARENT, Text),
    Column(TRACESTATE, Text),
    Index("penstock_schedules_by_time", "due_at"),
)

#: Of the jobs of crons that workers have begun, which of their puts that was.
firings: Final = Table(
    "penstock_firings",
    _metadata,
    Column("job", Text, primary_key=True),
    Column("put", Text, nullable=False),
    Column("begun_at", Double, nullable=False, index=True),
)

SCHEDULES: Final = Layout(
    "schedules",
    _metadata,
    steps=[adding(schedules.c[TRACEPARENT], schedules.c[TRACESTATE]), firings.create],
)
