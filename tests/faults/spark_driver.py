"""A program with queries made to be killed: each queue → its table, begun again when it fails.

`python -m tests.faults.spark_driver QUERIES` where JSON says, by the folder of each query, the options of its
source. The table is a folder with a file for each batch, so it holds a batch once, however often it is
written; the checkpoint lies beside it.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from penstock.pipelines.registering import register
from penstock.pipelines.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def run(spark: SparkSession, folder: Path, options: dict[str, str]) -> None:
    """One life of a query, which ends with an error."""
    table = folder / "table"
    table.mkdir(exist_ok=True)

    def write(batch: DataFrame, number: int) -> None:
        rows = [[row.position, row.message_id] for row in batch.collect()]
        partial = table / f"{number}.partial"
        partial.write_text(json.dumps(rows))
        partial.rename(table / f"{number}.json")

    frame = spark.readStream.format("penstock").options(**options).load()
    query = (
        frame.writeStream.foreachBatch(write).option("checkpointLocation", str(folder / "checkpoint")).start()
    )
    try:
        query.awaitTermination()
    finally:
        query.stop()


def run_again_and_again(spark: SparkSession, folder: Path, options: dict[str, str]) -> None:
    while True:
        try:
            run(spark, folder, options)
        except PySparkException as error:
            print(str(error)[:500], flush=True)  # noqa: T201 (read when a test fails)
            time.sleep(0.1)


def main() -> None:
    queries: dict[str, dict[str, str]] = json.loads(sys.argv[1])
    with open_session("victim", "local[2,4]", brief=True, progress=False) as spark:
        register(spark)
        lives = [
            threading.Thread(target=run_again_and_again, args=(spark, Path(folder), options))
            for folder, options in queries.items()
        ]
        for life in lives:
            life.start()
        for life in lives:
            life.join()


if __name__ == "__main__":
    main()
