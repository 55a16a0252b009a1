"""Upserts by key into a table of PostgreSQL or SQLite, each batch once."""

from penstock.pipelines.tables.upserts.sink import UpsertSink

__all__ = ["UpsertSink"]
