from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PySparkException

from penstock.pipelines.declared.making import make

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_rows_are_made_to_the_last(spark: SparkSession) -> None:
    make(spark.range(1000))
    with pytest.raises(PySparkException, match="the last one"):
        make(spark.range(1000).selectExpr("if(id = 999, raise_error('the last one'), id)"))
