"""What the tests of pipelines share: one Spark session for all of them, on one worker of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.pipelines.session import open_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """A real Spark in this process. It is everybody's: stop the queries you start, and name them your own."""
    with open_session("tests", "local[2]", brief=True, progress=False) as session:
        yield session
