"""A session that ends in another way than by its own program: interrupted. Kills are in test_pipelines."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.faults.programs import PATIENCE_S, Program, without_java
from tests.servers.running import _started

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
        ended, told = program.process.wait(PATIENCE_S), program.errors()
        assert ended == -signal.SIGINT, told
        assert not _started(int(pid))
        assert [entry.name for entry in tmp_path.iterdir()] == ["bin"]
        assert "KeyboardInterrupt" in told
