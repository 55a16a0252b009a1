from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.registering import register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_session_has_one_listener_however_often_it_is_asked(spark: SparkSession) -> None:
    register(spark)
    before = len(spark.streams._jsqm.listListeners())
    register(spark)

    assert len(spark.streams._jsqm.listListeners()) == before >= 1
