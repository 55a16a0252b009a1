"""`penstock pipelines run`, killed in the middle and run again: each row once, and poison set aside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
from deltalake import DeltaTable

from penstock.client import Outgoing, Queue
from penstock.client.reader import QueueReader
from penstock.client.sync import connect
from penstock.pipelines.folders import PREFIX
from penstock.pipelines.jvm import GATEWAY
from tests.faults.broker import FaultyBroker, wait_for
from tests.faults.kin import kin_of
from tests.servers import spark as cluster
from tests.servers.running import _started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pyarrow as pa

    from penstock.client.reader import ReaderState
    from tests.servers.running import Running

MODULE = """
import msgspec
from pyspark.sql import functions as F
from pyspark.sql.types import StringType
from penstock.pipelines.declared import Delta, Queue, pipeline

class Thread(msgspec.Struct):
    id: int
    title: str | None

source = Queue("threads", Thread, max_rows={max_rows})

@F.udf(StringType())
def home():
    import penstock
    return penstock.__file__

@pipeline("threads", source=source, sink=Delta("table"), suspect_after=1)
def threads(rows):
    title = F.coalesce("title", F.raise_error(F.lit("no title")))
    return rows.select("position", "id", F.upper(title).alias("title"), home().alias("home"))
"""
MAX_ROWS = 5
#: A Spark on a busy machine takes its time.
SPARK_S = 600.0


class Stage:
    """A broker, a module with a pipeline, and the command on it."""

    def __init__(self, folder: Path, broker: FaultyBroker) -> None:
        self.folder = folder
        self.broker = broker
        self.url = broker.start().url
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        (folder / "threads_app.py").write_text(MODULE.format(max_rows=MAX_ROWS))

    def publish(self, ids: range, poison: int | None = None) -> None:
        bodies = [{"id": each, "title": None if each == poison else f"thread {each}"} for each in ids]
        with connect(self.url) as client:
            client.declare(Queue("threads"))
            outgoings = [Outgoing("", "threads", json.dumps(body).encode()) for body in bodies]
            assert client.publish_many(outgoings) == [None] * len(ids)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "penstock", "pipelines", "run", "threads_app", "--data", "data"]
        with (self.folder / "run.log").open("ab") as log:
            return subprocess.Popen(
                [*command, "--brief", *arguments],
                cwd=self.folder,
                env=os.environ | {"MQ_URL": self.url, "TMPDIR": str(self.temporary)},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def log(self) -> str:
        return (self.folder / "run.log").read_text()

    def batches(self, log: str) -> int:
        """How many batches have begun (offsets), or are done (commits)."""
        files = (self.folder / "data" / "threads" / "checkpoint" / log).glob("*")
        return sum(file.name.isdecimal() for file in files)

    def table(self) -> pa.Table:
        return DeltaTable(str(self.folder / "table")).to_pyarrow_table()

    def kill_in_the_middle(self) -> None:
        """Run it, and kill it when another batch is done and the next has begun; all its kin end with it."""
        done = self.batches("commits")
        with self.running() as running:
            self.wait(running, lambda: self.batches("commits") > done)
            kin = kin_of(running.pid)
        assert any(GATEWAY in command for command in kin.values())
        wait_for(lambda: not any(map(_started, kin)), "the end of its Java, and of the Pythons of that")

    def sessions(self) -> list[Path]:
        """The folders of sessions that are open, or were killed."""
        return list(self.temporary.glob(f"{PREFIX}*"))

    @contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run it; what is not over at the end is killed, with all that it started."""
        running = self.start(*arguments)
        try:
            yield running
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()

    def stop_when_committed(self, running: subprocess.Popen[bytes], position: int) -> None:
        """When the broker may forget everything, ask it to stop."""
        self.wait(running, lambda: self.reader().committed == position)
        running.send_signal(signal.SIGTERM)
        assert running.wait(SPARK_S) == 0, self.log

    def wait(self, running: subprocess.Popen[bytes], is_so: Callable[[], bool]) -> None:
        until = time.monotonic() + SPARK_S
        while not is_so():
            assert running.poll() is None, self.log
            assert time.monotonic() < until, self.log
            time.sleep(0.02)

    def reader(self) -> ReaderState:
        with QueueReader(self.url, "threads", "threads") as reader:
            return reader.open()

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "data" / "threads" / "status.json").read_text())
        return found


@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.soak)])
def test_each_row_is_in_the_table_once_however_often_the_driver_is_killed(tmp_path: Path, kills: int) -> None:
    count = MAX_ROWS * (2 * kills + 3)
    poison = count - 2
    with FaultyBroker(tmp_path) as broker:
        # Given a queue of messages, one of which no attempt can help
        stage = Stage(tmp_path, broker)
        stage.publish(range(count), poison)
        # When the pipeline is killed in the middle, runs until nothing is left, and is asked to stop
        for _ in range(kills):
            stage.kill_in_the_middle()
            # What the last session has left is there; what was left before that is gone
            assert len(stage.sessions()) == 1
        with stage.running() as running:
            stage.stop_when_committed(running, count)
        # Then it has ended in good order, and done all that there was to do
        assert stage.status()["state"] == "stopped"
        assert stage.sessions() == []
        demand_each_once(stage, count, poison)


def test_the_same_pipeline_runs_on_a_cluster_that_loses_an_executor(
    tmp_path: Path, spark_cluster: Running
) -> None:
    count = 3 * MAX_ROWS
    with FaultyBroker(tmp_path) as broker:
        # Given a cluster whose executors know neither the module nor the broker, and are told both
        stage = Stage(tmp_path, broker)
        stage.publish(range(MAX_ROWS), poison=3)
        told = ("--py-files", "threads_app.py", "--conf", f"spark.executorEnv.MQ_URL={stage.url}")
        frugal = f"spark.executor.extraJavaOptions={' '.join(cluster.FRUGAL)}"
        small = ("--conf", "spark.executor.memory=512m", "--conf", frugal)
        where = ("--master", cluster.url_of(spark_cluster), *small)
        # Poison is tried as often as this, and so is what an executor had in hand when it died.
        often = ("--conf", "spark.task.maxFailures=2")
        with stage.running(*where, *told, *often) as running:
            stage.wait(running, lambda: stage.batches("commits") > 0)
            # When one of them is killed in the middle of a batch
            stage.publish(range(MAX_ROWS, count))
            stage.wait(running, lambda: stage.batches("offsets") > 1)
            os.kill(cluster.executors(spark_cluster)[0], signal.SIGKILL)
            stage.stop_when_committed(running, count)
        # Then all is as on one machine
        assert stage.status()["state"] == "stopped"
        demand_each_once(stage, count, poison=3)
    # And they have run the driver's Penstock, whatever they have themselves
    assert all(home.endswith(".zip/penstock/__init__.py") for home in stage.table()["home"].to_pylist())


def demand_each_once(stage: Stage, count: int, poison: int) -> None:
    # The table has each message once, but for the one that is poison
    ids = stage.table()["id"].to_pylist()
    assert sorted(ids) == [each for each in range(count) if each != poison]
    # And that one is kept, with the reason
    [file] = (stage.folder / "data" / "threads" / "set-aside").iterdir()
    kept = json.loads(file.read_text())
    assert (kept["row"]["id"], kept["reason"]) == (poison, "[USER_RAISED_EXCEPTION] no title")
    # And nothing is left in the queue, or with its reader
    state = stage.reader()
    assert (state.waiting, state.taken, state.committed) == (0, count, count)
