"""How soon Spark answers: Penstock's sessions with stock Spark's, each in a process of its own, in turns.

    python bench/spark_start.py [--quick]

Measured from the start of the Python process to the first answer of a query, and the processor time of the
Java that gave it. Stock is `SparkSession.builder`, told only where to run. The class-data archive is the
user's own; without one, it is made first in a folder of the bench, and how long that took is shown.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

from penstock.pipelines.folders import cache_folder
from penstock.pipelines.session import archive_here

ROUNDS: Final = 5
QUICK_ROUNDS: Final = 3
#: How many times stock Spark's seconds the first answer of a command may take.
LIMIT: Final = 0.5

#: Tells the process id of Java, and then that it has answered.
ASK: Final = """
print(spark._jvm.ProcessHandle.current().pid(), flush=True)
assert spark.range(1000).selectExpr("sum(id)").collect()[0][0] == 499500
print("answered", flush=True)
import sys; sys.stdin.readline()
spark.stop()
"""
STOCK: Final = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[2]").getOrCreate()
"""
OURS: Final = """
from penstock.pipelines.session import open_session
spark = open_session("bench", "local[2]", brief={brief}, progress=False)
"""

#: Name, program, whether the archive is there.
WAYS: Final = (
    ("stock Spark", STOCK, False),
    ("open_session", OURS.format(brief=False), False),
    ("open_session, archive", OURS.format(brief=False), True),
    ("a command: brief, archive", OURS.format(brief=True), True),
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/spark_start.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    rounds = QUICK_ROUNDS if parser.parse_args().quick else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        made, empty = with_archive(Path(folder, "made")), Path(folder, "empty")
        measured: list[list[tuple[float, float, float]]] = [[] for _ in WAYS]
        for _ in range(rounds):
            for row, (_, program, is_archived) in zip(measured, WAYS, strict=True):
                row.append(measure(program, made if is_archived else empty))
    return report(measured)


def with_archive(folder: Path) -> Path:
    """A cache that has an archive: the user's, or the folder."""
    if archive_here().is_made:
        return cache_folder(os.environ)
    begun = perf_counter()
    subprocess.check_call([sys.executable, "-m", "penstock", "spark", "archive"], env=environment(folder))
    print(f"the archive was made in {perf_counter() - begun:.0f} s, once\n")
    return folder


def environment(cache: Path) -> dict[str, str]:
    return os.environ | {"PENSTOCK_CACHE": str(cache)}


def measure(program: str, cache: Path) -> tuple[float, float, float]:
    """Seconds to the session, to the first answer, and of processors that Java has used by then."""
    begun = perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", program + ASK],
        env=environment(cache),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        java = int(child.stdout.readline())
        opened = perf_counter() - begun
        assert child.stdout.readline() == "answered\n"
        answered = perf_counter() - begun
        used = processor_seconds(java)
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.wait() == 0
    return opened, answered, used


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report(measured: list[list[tuple[float, float, float]]]) -> int:
    print(f"{'':28}{'session':>10}{'first answer':>15}{'Java':>9}{'ratio':>8}{'limit':>7}")
    medians = [tuple(median(column) for column in zip(*rows, strict=True)) for rows in measured]
    stock = medians[0][1]
    for (name, _, _), (opened, answered, used) in zip(WAYS, medians, strict=True):
        print(f"{name:28}{opened:8.1f} s{answered:13.1f} s{used:7.1f} s{answered / stock:8.2f}", end="")
        is_last = name == WAYS[-1][0]
        print(f"{LIMIT:7g}  {'ok' if answered <= LIMIT * stock else 'MISSED'}" if is_last else "")
    return int(medians[-1][1] > LIMIT * stock)


if __name__ == "__main__":
    sys.exit(main())
