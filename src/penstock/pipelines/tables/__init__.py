"""Tables as the end of a pipeline: Delta without a jar, each row once; PostgreSQL and SQLite by key."""

from penstock.pipelines.tables.keys import Key
from penstock.pipelines.tables.location import Location
from penstock.pipelines.tables.parquet import ParquetSink
from penstock.pipelines.tables.reading import read_delta
from penstock.pipelines.tables.sink import DeltaSink
from penstock.pipelines.tables.tending import Tended, tend

__all__ = ["DeltaSink", "Key", "Location", "ParquetSink", "Tended", "read_delta", "tend"]
