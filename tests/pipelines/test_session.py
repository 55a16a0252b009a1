from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException, PythonException

from penstock.errors import BadSetting, SparkUnavailable
from penstock.pipelines.folders import sweep
from penstock.pipelines.session import open_session
from tests.pipelines.programs import Program, without_java
from tests.servers import spark as cluster
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

    from tests.servers.running import Running

#: Opens a session, tells its Java and its folder, and works until it is ended.
WORKS = """
import json, sys, time
from penstock.pipelines.session import open_session

def slow(batches):
    for batch in batches:
        time.sleep(600)
        yield batch

with open_session("works", "local[2]", brief=True, settings=json.loads(sys.argv[1])) as spark:
    jvm = spark._jvm
    print(jvm.System.getProperty("java.version"), jvm.ProcessHandle.current().pid(), flush=True)
    print(spark.conf.get("spark.local.dir"), flush=True)
    copied = spark.range(10).mapInArrow(lambda batches: batches, "id long")
    print(copied.selectExpr("sum(id)").collect()[0][0], flush=True)
    spark.range(2).mapInArrow(slow, "id long").collect()
"""

#: Asks a cluster twice; the second time slowly, leaving a note of every attempt.
ON_A_CLUSTER = """
import sys, time
from pathlib import Path
from penstock.pipelines.session import open_session

def where(batches):
    import penstock, pyarrow as pa
    for batch in batches:
        yield pa.record_batch({"place": [penstock.__file__] * batch.num_rows})

def slow(batches, notes=sys.argv[2]):
    from pathlib import Path
    from pyspark import TaskContext
    task = TaskContext.get()
    Path(notes, f"{task.partitionId()}-{task.attemptNumber()}-{task.taskAttemptId()}").touch()
    for batch in batches:
        time.sleep(0.5)
        yield batch

settings = {"spark.executor.memory": "512m", "spark.sql.shuffle.partitions": "2",
            "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
with open_session("cluster", sys.argv[1], brief=True, settings=settings) as spark:
    places = spark.range(0, 100, 1, 4).mapInArrow(where, "place string").distinct().collect()
    print(*(row.place for row in places), flush=True)
    slowly = spark.range(0, 160, 1, 16).mapInArrow(slow, "id long")
    print(slowly.selectExpr("sum(id)").collect()[0][0], flush=True)
"""


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}/cmdline").exists() and bool(Path(f"/proc/{pid}/cmdline").read_bytes())


def comes_true(condition: Callable[[], bool], within_s: float = 60) -> bool:
    until = time.monotonic() + within_s
    while not (answer := condition()) and time.monotonic() < until:
        time.sleep(0.02)
    return answer


def test_python_workers_are_the_same_python(spark: SparkSession) -> None:
    def executable(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            yield pa.record_batch({"program": [sys.executable]})

    (row,) = spark.range(1).mapInArrow(executable, "program string").collect()
    assert row.program == sys.executable


def test_a_day_begins_at_the_same_instant_everywhere(spark: SparkSession) -> None:
    (row,) = spark.sql("SELECT CAST(timestamp_seconds(0) AS string) AS text").collect()
    assert row.text == "1970-01-01 00:00:00"


def test_an_error_is_raised_and_not_written_to_the_terminal_as_well(
    spark: SparkSession, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        raise ValueError("a row that cannot be")

    with pytest.raises(AnalysisException):
        spark.sql("SELECT nowhere")
    with pytest.raises(PythonException, match="a row that cannot be"):
        spark.range(1).mapInArrow(fail, "id long").collect()
    assert capfd.readouterr() == ("", "")


def test_a_second_session_is_refused(spark: SparkSession) -> None:
    with pytest.raises(SparkUnavailable, match="open in this process, and Spark allows one"):
        open_session()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"master": "amqp://localhost"}, BadSetting, "no Spark master"),
        ({"memory": "plenty"}, BadSetting, "no size of memory"),
        (
            {"master": f"spark://127.0.0.1:{free_port()}"},
            SparkUnavailable,
            "no Spark master answers at spark://",
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_starts(
    arguments: dict[str, str], error: type[Exception], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.core.context", None)
    monkeypatch.setattr("penstock.pipelines.session.Jvm", None)
    with pytest.raises(error, match=message):
        open_session(**arguments)  # type: ignore[arg-type]


def test_ctrl_c_closes_a_session_in_good_order_with_no_java_but_the_packages(tmp_path: Path) -> None:
    # Given a session that Spark's own launcher started, which a setting asks for.
    settings = f'{{"spark.jars.ivy": "{tmp_path}/ivy"}}'
    environment = without_java(tmp_path / "bin")
    with Program(WORKS, settings, folder=tmp_path, environment=environment) as program:
        version, pid = program.line().split()
        local = Path(program.line())
        assert program.line() == "45"
        assert int(version.partition(".")[0]) >= 21
        assert local.is_relative_to(tmp_path)
        # When it is interrupted in the middle of a query,
        program.process.send_signal(signal.SIGINT)
        # then nothing is left of it, and nothing but the interruption was told.
        assert program.process.wait(60) == -signal.SIGINT
        assert not is_alive(int(pid))
        assert [entry.name for entry in tmp_path.iterdir()] == ["bin"]
        assert "KeyboardInterrupt" in program.errors()


def test_what_a_killed_session_leaves_is_removed_by_the_next(tmp_path: Path) -> None:
    with Program(WORKS, "{}", folder=tmp_path) as program:
        _, pid = program.line().split()
        local = Path(program.line())
        assert program.line() == "45"
        program.process.kill()
        program.process.wait()
        assert comes_true(lambda: not is_alive(int(pid)))
        assert local.parent.exists()
        assert sweep(tmp_path) == [local.parent]
        assert [*tmp_path.iterdir()] == []


def test_a_cluster_survives_the_death_of_an_executor(tmp_path: Path, spark_cluster: Running) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    with Program(ON_A_CLUSTER, cluster.url_of(spark_cluster), notes, folder=tmp_path) as program:
        # The executors run the driver's Penstock, whatever they have.
        (place,) = program.line().split()
        assert ".zip/penstock/__init__.py" in place
        assert comes_true(lambda: len([*notes.iterdir()]) >= 2)
        os.kill(cluster.executors(spark_cluster)[0], signal.SIGKILL)
        assert program.line() == str(sum(range(160)))
        assert program.process.wait(60) == 0
    assert len([*notes.iterdir()]) > 16
