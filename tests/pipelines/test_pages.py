"""The pages of the documentation that use Spark, in the session that all tests of pipelines share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import pytest

from penstock.pipelines import session
from tests.test_docs import ON_SPARK, ROOT, broker_url, run_page

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

__all__ = ["broker_url"]


@pytest.mark.parametrize("page", ON_SPARK, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_on_a_page_with_spark_does_what_the_page_shows(
    page: Path, spark: SparkSession, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AMQP_URL", broker_url)
    monkeypatch.setattr(session, "open_session", lambda *_, **__: spark)
    monkeypatch.setattr(spark, "stop", lambda: None)
    run_page(page.read_text(), str(page.relative_to(ROOT)))
