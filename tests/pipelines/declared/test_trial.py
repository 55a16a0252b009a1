from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.errors import PipelineError
from penstock.pipelines import session
from penstock.pipelines.declared import Parquet, Pipeline
from penstock.pipelines.declared.trial import Trial, try_out
from tests.pipelines.declared.threads import NO_TITLE, POISON, loudly, write_threads

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_a_pipeline_is_tried_on_a_few_rows_and_writes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    source = write_threads(tmp_path / "threads", "1.json", range(5))
    pipeline = Pipeline(name="threads", source=source, sink=Parquet(tmp_path / "out"), transform=loudly)
    assert try_out(pipeline, spark, 2) == Trial(
        columns=(("id", "bigint"), ("title", "string")), rows=((0, "THREAD 0"), (1, "THREAD 1"))
    )
    assert [file.name for file in tmp_path.iterdir()] == ["threads"]
    # And what goes wrong is told in a line
    write_threads(tmp_path / "threads", "1.json", range(POISON, POISON + 1))
    with pytest.raises(PipelineError) as caught:
        try_out(pipeline, spark, 2)
    assert str(caught.value) == f"pipeline threads fails on the sample: {NO_TITLE}"


MODULE = """
from penstock.pipelines.declared import Parquet, Rate, pipeline

@pipeline("counted", source=Rate(), sink=Parquet("counted"))
def counted(rows):
    return rows.selectExpr("value * 2 AS twice")
"""


def test_the_command_shows_columns_and_rows(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counted_app.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(session, "open_session", lambda *_, **__: spark)
    monkeypatch.setattr(spark, "stop", lambda: None)
    shown = CliRunner().invoke(app, ["pipelines", "dry-run", "counted_app", "counted", "--rows", "3"])
    sys.modules.pop("counted_app", None)
    assert shown.exit_code == 0, shown.output
    assert shown.output.splitlines() == ["COLUMN  TYPE", "twice   bigint", "", "twice", "0", "2", "4"]
