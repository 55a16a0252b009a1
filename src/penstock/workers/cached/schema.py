"""The table of cached values, in SQLite or PostgreSQL."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Double, Index, Integer, LargeBinary, MetaData, Table, Text

from penstock.messaging.layout import Layout, adding

__all__ = ["CACHE", "values"]

_metadata: Final = MetaData()

values: Final = Table(
    "penstock_cache",
    _metadata,
    Column("cache", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    #: Of the claim that the value is, or will be, made under.
    Column("token", Text, nullable=False),
    #: Until then the claim holds, or the value if there is one.
    Column("until", Double, nullable=False),
    Column("value", LargeBinary),
    #: Of the value; so they can be added up without reading them.
    Column("size", Integer, nullable=False),
    Column("kept_at", Double, nullable=False),
    #: The job that makes the value; none until one has begun.
    Column("maker", Text),
    Index("penstock_cache_by_age", "cache", "kept_at"),
)

CACHE: Final = Layout("cache", _metadata, steps=[adding(values.c.maker)])
