"""A program with one query, made to be killed: queue → table, begun again when it fails.

`python -m tests.faults.spark_driver FOLDER OPTIONS` where the options of the source are JSON. The table is a
folder with a file for each batch, so it holds a batch once, however often it is written; the checkpoint lies
beside it.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

from penstock.pipelines.registering import register
from penstock.pipelines.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def run(spark: SparkSession, folder: Path, options: dict[str, str]) -> None:
    """One life of the query, which ends with an error."""
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


def main() -> None:
    folder, options = Path(sys.argv[1]), json.loads(sys.argv[2])
    with open_session("victim", "local[2,4]", brief=True, progress=False) as spark:
        register(spark)
        while True:
            try:
                run(spark, folder, options)
            except PySparkException as error:
                print(str(error)[:500], flush=True)  # noqa: T201 (read when a test fails)
                time.sleep(0.1)


if __name__ == "__main__":
    main()
