"""The batch writer of a DID domain on Spark, with kill -9 at every step: each operation is anchored once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from penstock.clock import SystemClock
from penstock.pipelines.declared import Pipelines
from penstock.pipelines.declared.supervising import Supervisor
from penstock.pipelines.did.writing.batch_writer import writing
from tests.faults.broker import FaultyBroker
from tests.pipelines.did.writing.app import STEPS
from tests.pipelines.did.writing.domain import PATIENCE_S, Domain, wait_for
from tests.pipelines.did.writing.operations import create
from tests.servers import spark as cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import SparkSession

    from penstock.did.operation_queue import Posted
    from tests.servers.running import Running

LOCAL = "local[2]"
#: A dead life is noticed, and what it has claimed is anybody's, at once.
IMPATIENT = {"op_queue_task_monitor_interval": 0.5, "op_queue_task_expiration": 2.0}
#: Operations that are added before each life.
COUNT = 20


class Stage:
    """A domain, and the lives of its driver."""

    def __init__(self, folder: Path, broker: FaultyBroker) -> None:
        self.domain = Domain(folder, broker.start().url, "orb", task_manager_check_interval=0.5, **IMPATIENT)
        self.folder = folder
        self._count = 0

    def add(self) -> None:
        self.domain.add(self._batch())

    def _batch(self) -> list[Posted]:
        self._count += COUNT
        return [create(f"life{number}") for number in range(self._count - COUNT, self._count)]

    @contextmanager
    def life(self, master: str = LOCAL, step: str = "") -> Iterator[subprocess.Popen[bytes]]:
        """A driver; what is not over at the end is killed, with all that it started."""
        arguments = [self.domain.places.to_json(), str(self.folder / "pipelines"), master, step]
        with (self.folder / "driver.log").open("ab") as log:
            driver = subprocess.Popen(
                [sys.executable, "-m", "tests.pipelines.did.writing.app", *arguments],
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            yield driver
        finally:
            with suppress(ProcessLookupError):
                os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()

    @contextmanager
    def life_here(self, spark: SparkSession) -> Iterator[None]:
        """A life in this process, whose Java runs already."""
        with writing(self.domain.places) as pipelines:
            supervisor = Supervisor(
                Pipelines(pipelines), self.folder / "pipelines", spark, clock=SystemClock()
            )
            living = threading.Thread(target=supervisor.run)
            living.start()
            try:
                yield
            finally:
                supervisor.stop()
                living.join()

    def live_until(self, step: str) -> None:
        with self.life(step=step) as driver:
            assert driver.wait(PATIENCE_S) == -signal.SIGKILL, self.log

    @property
    def log(self) -> str:
        return (self.folder / "driver.log").read_text()

    def batches(self) -> int:
        """How many batches of Spark's have begun."""
        offsets = (self.folder / "pipelines" / "orb.batch-writer" / "checkpoint" / "offsets").glob("*")
        return sum(file.name.isdecimal() for file in offsets)

    def demand_each_once(self) -> None:
        self.domain.wait_until_anchored()
        assert sorted(self.domain.anchored()) == sorted(self.domain.added)


def test_a_killed_driver_and_a_killed_broker_cost_nothing(tmp_path: Path, spark: SparkSession) -> None:
    with FaultyBroker(tmp_path) as broker:
        # Given a driver that was killed when executors had written files, and nobody knew of them yet
        stage = Stage(tmp_path, broker)
        stage.add()
        stage.live_until("files are written")
        assert [each.files for each in stage.domain.cuts()] == [None]
        # When the next one loses its broker, which comes back
        with stage.life_here(spark):
            stage.demand_each_once()
            stage.add()
            broker.kill()
            broker.start()
            # Then every operation is anchored, and none twice
            stage.demand_each_once()
    stage.domain.database.close()


@pytest.mark.soak
def test_a_killed_executor_costs_nothing(tmp_path: Path, spark_cluster: Running) -> None:
    with FaultyBroker(tmp_path) as broker:
        stage = Stage(tmp_path, broker)
        stage.add()
        with stage.life(cluster.url_of(spark_cluster)):
            stage.demand_each_once()
            begun = stage.batches()
            stage.add()
            wait_for(lambda: stage.batches() > begun, "another batch")
            os.kill(cluster.executors(spark_cluster)[0], signal.SIGKILL)
            stage.demand_each_once()
    stage.domain.database.close()


@pytest.mark.soak
def test_whichever_step_is_the_last_of_a_driver_each_operation_is_anchored_once(tmp_path: Path) -> None:
    with FaultyBroker(tmp_path) as broker:
        stage = Stage(tmp_path, broker)
        for step in STEPS:
            stage.add()
            stage.live_until(step)
        with stage.life():
            stage.demand_each_once()
    stage.domain.database.close()
