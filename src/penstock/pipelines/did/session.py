"""A Spark session for a DID domain's work: brief, since Java does little of it, and with that preloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.pipelines.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["MODULES", "open_did_session"]

#: What every worker needs: what it does, how it reads a queue, and what Spark and pyarrow import at the first
#: row. A worker that must import these by itself, as after a minute without work, takes 0.7 s for it.
MODULES: Final = (
    "penstock.pipelines.did.observing.executing",
    "penstock.pipelines.did.writing.deadly",
    "penstock.pipelines.did.writing.stream",
    "penstock.pipelines.source.stream",
    "pandas",
    "pyarrow.pandas_compat",
    "pyarrow.vendored.version",
    "pyspark.sql.worker.plan_data_source_read",
    "pyspark.worker",
)


def open_did_session(name: str, master: str, *, progress: bool | None = None) -> SparkSession:
    """Start Spark; see `open_session` for what is given, and what is raised."""
    return open_session(name, master, brief=True, preload=MODULES, progress=progress)
