from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import AnalysisException

from penstock.pipelines.keeping import keep

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_an_error_can_be_shown_when_its_java_is_gone(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.sql("SELECT nowhere")
    error, text = caught.value, str(caught.value)
    outer = ValueError("around it")
    outer.__cause__ = error
    keep(outer)
    with monkeypatch.context() as gone:
        gone.setattr(SparkContext, "_jvm", None)
        gone.setattr(SparkContext, "_gateway", None)
        assert str(error) == text
        assert "nowhere" in text
        assert error.getCondition() == "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"
        assert error.getSqlState() == "42703"
    assert isinstance(error, AnalysisException)
    assert (type(error).__name__, type(error).__module__) == (
        "AnalysisException",
        "pyspark.errors.exceptions.captured",
    )


def test_an_error_of_javas_own_is_kept_too(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Py4JJavaError) as caught:
        spark._jvm.java.lang.Class.forName("no.such.Class")  # type: ignore[union-attr]
    error = caught.value
    keep(error)
    with monkeypatch.context() as gone:
        gone.setattr(error.java_exception, "_gateway_client", None)
        assert "ClassNotFoundException" in str(error)


def test_other_errors_stay_as_they_are() -> None:
    first, second = ValueError("one"), KeyError("two")
    first.__context__, second.__context__ = second, first
    keep(first)
    keep(None)
    assert type(first) is ValueError
    assert type(second) is KeyError
