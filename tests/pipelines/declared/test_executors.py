from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from penstock.errors import NotOnExecutors
from penstock.pipelines.declared.executors import demand_importable

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_what_executors_can_import_is_no_trouble(spark: SparkSession) -> None:
    demand_importable(spark, ["json", "__main__"])


def test_a_module_that_only_the_driver_has_is_told_before_anything_starts(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("X = 1")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(
        NotOnExecutors,
        match=r"the executors cannot import only_here \(ModuleNotFoundError: .*\): install it .* --py-files",
    ):
        demand_importable(spark, ["json", "only_here"])
