from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.acking import Acking
from penstock.pipelines.registering import register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_session_has_one_listener_however_often_it_is_asked(spark: SparkSession) -> None:
    register(spark)
    first = spark._penstock_acking  # type: ignore[attr-defined]
    register(spark)

    assert isinstance(first, Acking)
    assert spark._penstock_acking is first  # type: ignore[attr-defined]
    assert repr(first) == "<Acking>"
