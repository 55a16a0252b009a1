"""Reconciling: a table of five million rows compared with its copy, 0.1 % of which differ.

    python bench/reconcile.py [--quick] [--rows N]

Ours: both tables are in a real PostgreSQL, as its package sets it up, on this machine; what `penstock
reconcile --copy --dry-run` does, from the first question to the counts. Plain: the same rows in two Parquet
files, which Spark joins by itself, full outer, column by column, and counts. Both in the same Spark, in
turns; the first round is dropped, the median of the others counts. Both must find the same differences.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from functools import reduce
from operator import and_
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Final

import sqlalchemy as sa
from pyspark.sql import functions as f

from penstock.outbox import Outbox, Reconciler, SharedTable, Told
from penstock.pipelines.reconcile.copies import Copy
from penstock.pipelines.reconcile.reconciler import CopyReconciler
from penstock.pipelines.session import open_session

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers import postgresql
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

ROWS: Final = 5_000_000
QUICK_ROWS: Final = 500_000
ROUNDS: Final = 3
#: What part of plain Spark's speed ours must have at least.
LIMIT: Final = 0.7
#: Of so many rows one differs, one is missing from the copy and one has another key there. Both Spark and
#: PostgreSQL understand how.
EACH: Final = 3000

TABLE: Final = (
    "CREATE TABLE {}.threads (id bigint PRIMARY KEY, title text NOT NULL, body text, views int,"
    " price numeric(10, 2), is_open boolean, updated_at timestamptz)"
)
FILL: Final = (
    "INSERT INTO {}.threads SELECT {key}, 'thread number ' || i, md5(i::text), (i * 7) % 10000 + {more},"
    " ((i * 13) % 100000) / 100.0, i % 3 = 0, timestamptz '2024-01-01Z' + i * interval '1.5 s'"
    " FROM generate_series(1, {rows}) i WHERE {kept}"
)
OTHERWISE: Final = {
    "key": f"CASE WHEN i % {EACH} = 9 THEN -i ELSE i END",
    "more": f"CASE WHEN i % {EACH} = 7 THEN 1 ELSE 0 END",
    "kept": f"i % {EACH} <> 8",
}
CONTENT: Final = ("title", "body", "views", "price", "is_open", "updated_at")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/reconcile.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROWS:,} rows")
    parser.add_argument("--rows", type=int, help="so many rows")
    options = parser.parse_args()
    rows = options.rows or (QUICK_ROWS if options.quick else ROWS)
    with (
        tempfile.TemporaryDirectory(prefix="penstock-bench-reconcile-") as folder,
        database(Path(folder), rows) as url,
        open_session("bench", "local[2]", memory="2g") as spark,
    ):
        write_files(spark, Path(folder), rows)
        return 0 if compared(spark, url, Path(folder), rows) else 1


@contextlib.contextmanager
def database(folder: Path, rows: int) -> Iterator[str]:
    """Two schemas: the one that the table is shared from, and the one with its copy."""
    server = postgresql.start(obtain(PROGRAMS["postgresql"], notes=folder))
    assert server.running is not None
    url = postgresql.url_of(server.running)
    engine = sa.create_engine(url, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("CREATE SCHEMA other")
            for schema, how in (("public", {"key": "i", "more": "0", "kept": "true"}), ("other", OTHERWISE)):
                connection.exec_driver_sql(TABLE.format(schema))
                connection.exec_driver_sql(FILL.format(schema, rows=rows, **how).replace("%", "%%"))
                connection.exec_driver_sql(f"VACUUM ANALYZE {schema}.threads")
        engine.dispose()
        yield url
    finally:
        server.destroy()


def write_files(spark: SparkSession, folder: Path, rows: int) -> None:
    """The same rows as Parquet."""
    i = f.col("i")
    numbers = spark.range(1, rows + 1).withColumnRenamed("id", "i")

    def table(key: str, more: str, kept: str) -> DataFrame:
        return numbers.where(kept).select(
            f.expr(key).alias("id"),
            f.concat(f.lit("thread number "), i).alias("title"),
            f.md5(i.cast("string").cast("binary")).alias("body"),
            ((i * 7) % 10000 + f.expr(more)).cast("int").alias("views"),
            ((i * 13) % 100000 / 100).cast("decimal(10,2)").alias("price"),
            (i % 3 == 0).alias("is_open"),
            f.timestamp_seconds(f.lit(1_704_067_200) + i * 1.5).alias("updated_at"),
        )

    table("i", "0", "true").write.parquet(f"{folder}/shared")
    table(**OTHERWISE).write.parquet(f"{folder}/copy")


def compared(spark: SparkSession, url: str, folder: Path, rows: int) -> bool:
    seconds: dict[str, list[float]] = {"plain": [], "ours": []}
    ways: dict[str, Callable[[], dict[str, int]]] = {
        "plain": lambda: plain(spark, folder),
        "ours": lambda: ours(spark, url),
    }
    for number in range(ROUNDS + 1):
        found = {}
        for name, way in ways.items():
            begun = perf_counter()
            found[name] = way()
            if number:
                seconds[name].append(perf_counter() - begun)
        assert found["plain"] == found["ours"], found
    middles = {name: median(each) for name, each in seconds.items()}
    ratio = middles["plain"] / middles["ours"]
    verdict = "ok" if ratio >= LIMIT else "MISSED"
    print(f"\n2 x {rows:,} rows, {sum(found['ours'].values()):,} differences: {found['ours']}")
    for name, each in seconds.items():
        print(f"{name:8}{middles[name]:8.2f} s   ({', '.join(f'{s:.2f}' for s in each)})")
    print(f"ours has {ratio:.2f} times the speed of plain Spark on Parquet; at least {LIMIT:g}  {verdict}")
    return ratio >= LIMIT


def ours(spark: SparkSession, url: str) -> dict[str, int]:
    engine = sa.create_engine(url)
    shared = SharedTable(sa.Table("threads", sa.MetaData(), autoload_with=engine), exchange="commons")
    reconciler = Reconciler(Told(Outbox()), [shared])
    copies = [Copy(f"{url}?options=-csearch_path%3Dother")]
    with CopyReconciler(reconciler, engine, copies).compared(lambda: spark, shared) as comparison:
        counts = {kind: count for (_, kind), count in comparison.counts.items()}
    engine.dispose()
    return counts


def plain(spark: SparkSession, folder: Path) -> dict[str, int]:
    here, there = (spark.read.parquet(f"{folder}/{name}").alias(name) for name in ("shared", "copy"))
    joined = here.join(there, f.col("shared.id") == f.col("copy.id"), "full_outer")
    same = (f.col(f"shared.{name}").eqNullSafe(f.col(f"copy.{name}")) for name in CONTENT)
    kind = (
        f.when(f.col("copy.id").isNull(), "created")
        .when(f.col("shared.id").isNull(), "deleted")
        .when(~reduce(and_, same), "updated")
    )
    found = joined.select(kind.alias("kind")).where("kind IS NOT NULL")
    return {row["kind"]: row["count"] for row in found.groupBy("kind").count().collect()}


if __name__ == "__main__":
    sys.exit(main())
