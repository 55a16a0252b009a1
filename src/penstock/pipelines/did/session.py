"""A Spark session for a DID domain's work: brief, since Java does little of it, and with that preloaded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock.pipelines.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["MODULES", "open_did_session"]

#: What every worker needs. Neither imports pyarrow, which starts threads.
MODULES: Final = ("penstock.pipelines.did.observing.executing", "penstock.pipelines.did.writing.choosing")


def open_did_session(name: str, master: str, *, progress: bool | None = None) -> SparkSession:
    """Start Spark; see `open_session` for what is given, and what is raised."""
    return open_session(name, master, brief=True, preload=MODULES, progress=progress)
