from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

from penstock.pipelines.listening import listen

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def test_each_batch_is_told_until_nobody_wants_to_hear(spark: SparkSession, tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    came = threading.Event()

    def hear(progress: str) -> None:
        heard.append(json.loads(progress))
        came.set()

    def run(name: str) -> None:
        rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 3).load()
        writer = rows.writeStream.format("noop").queryName(name).trigger(once=True)
        writer.option("checkpointLocation", str(tmp_path / name)).start().awaitTermination()

    end = listen(spark, hear)
    run("first")
    assert came.wait(60)
    end()
    run("second")
    again = threading.Event()
    end = listen(spark, lambda _: again.set())
    run("third")
    # News come in order: what is told of the third was not told of the second.
    assert again.wait(60)
    end()

    assert {each["name"] for each in heard} == {"first"}
    assert heard[0]["numInputRows"] == 3
