"""The source under kill -9, at random moments: of the driver with all of Spark, of the process that plans, of
those that execute, of Penstock and of RabbitMQ.

Whatever dies, the table holds every message exactly once in the end, and nothing waits anywhere.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.client.sync import connect
from tests.client.rabbit import OwnRabbitMQ
from tests.faults.broker import FaultyBroker
from tests.faults.kin import kin_of
from tests.pipelines.queues import SparkQueue, until
from tests.servers.penstock import SOURCE
from tests.servers.running import Process, Running, launch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Messages for each kill, so that it comes in the middle of something.
MESSAGES = 300
#: Small batches, so that a moment at random falls into any part of one.
BATCH = 100
#: Seconds within which somebody is killed after rows have begun to come.
SOON = 0.4
#: What the processes of Spark's that run Python are called.
PLANNER, EXECUTOR = "python_streaming_source_runner", "pyspark.daemon pyspark.worker"
#: Ten rounds. The driver of a pipeline on Penstock is killed in test_pipelines.py.
KILLED = {
    "penstock": ["broker", "executor", "planner", "broker", "broker"] * 2,
    "rabbitmq": ["broker", "executor", "planner", "executor", "broker"]
    + ["planner", "executor"] * 2
    + ["planner"],
}
ROOT = Path(__file__).resolve().parents[2]


class Driver:
    """The program with the query, and everything of Spark's that it starts."""

    def __init__(self, folder: Path, options: dict[str, str]) -> None:
        self._folder = folder
        self._options = options
        self._process: Process | None = None
        self._lives = 0

    def start(self) -> None:
        self._lives += 1
        child = launch(
            [sys.executable, "-m", "tests.faults.spark_driver", self._folder, json.dumps(self._options)],
            folder=ROOT,
            environment=os.environ | {"PYTHONPATH": f"{SOURCE}:{ROOT}"},
            log=self._folder / f"driver-{self._lives}.log",
        )
        self._process = Process.of(child, farewell=signal.SIGKILL)

    def kill(self) -> None:
        """`kill -9` of its whole group."""
        if self._process is not None:
            self._process.end()

    def kill_some(self, called: str) -> None:
        """`kill -9` of those that Spark started, the youngest first: whoever serves may leave others."""
        assert self._process is not None
        for pid, command in reversed(kin_of(self._process.pid).items()):
            if called in command:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)

    def rows(self) -> list[tuple[int, str]]:
        """What the table holds."""
        return [
            (position, name)
            for path in (self._folder / "table").glob("*.json")
            for position, name in json.loads(path.read_text())
        ]


@pytest.fixture
def own(
    request: pytest.FixtureRequest, tmp_path: Path, real_program: Callable[[str], Path]
) -> Iterator[FaultyBroker | OwnRabbitMQ]:
    """A broker of each kind that may be killed."""
    folder = tmp_path / "broker"
    folder.mkdir()
    if request.param == "penstock":
        with FaultyBroker(folder) as broker:
            broker.start()
            yield broker
    else:
        with OwnRabbitMQ(real_program("rabbitmq"), folder) as node:
            yield node


def has_rows(driver: Driver, count: int) -> bool:
    return len(driver.rows()) >= count


@contextmanager
def queue_at(own: FaultyBroker | OwnRabbitMQ, folder: Path) -> Iterator[SparkQueue]:
    """The queue, by a connection of its own: one that saw the broker die may still lose what it publishes."""
    kind = "penstock" if isinstance(own, FaultyBroker) else "rabbitmq"
    port = int(own.url.rpartition(":")[2].strip("/"))
    with connect(own.url) as client:
        queue = SparkQueue(Running(name=kind, port=port, processes=()), client, "orders", folder)
        queue.declare()
        yield queue


def rounds(own: FaultyBroker | OwnRabbitMQ, folder: Path, killed: Sequence[str]) -> None:
    """Kill one after the other, each time a little after new rows have begun to come."""
    with queue_at(own, folder) as queue:
        limits = {"columns": "position,message_id", "max_rows": str(BATCH)}
        driver = Driver(folder, queue.options | limits)
    driver.start()
    try:
        for number, victim in enumerate(killed):
            with queue_at(own, folder) as queue:
                queue.publish(range(number * MESSAGES, (number + 1) * MESSAGES))
            until(partial(has_rows, driver, number * MESSAGES + 1))
            time.sleep(SOON * random.random())
            kill(victim, own, driver)
        with queue_at(own, folder) as queue:
            demand_each_once(queue, driver, MESSAGES * len(killed))
    finally:
        driver.kill()


def demand_each_once(queue: SparkQueue, driver: Driver, count: int) -> None:
    until(partial(has_rows, driver, count))
    until(lambda: queue.committed() == count)
    rows = driver.rows()
    assert Counter(name for _, name in rows) == Counter(f"m{number}" for number in range(count))
    assert sorted(position for position, _ in rows) == list(range(1, count + 1))
    until(lambda: queue.waiting() == 0)


def kill(victim: str, own: FaultyBroker | OwnRabbitMQ, driver: Driver) -> None:
    """What does not come back by itself is started again."""
    if victim == "planner":
        driver.kill_some(PLANNER)
    elif victim == "executor":
        driver.kill_some(EXECUTOR)
    else:
        ended = own if victim == "broker" else driver
        ended.kill()
        ended.start()


@pytest.mark.parametrize("own", ["penstock", "rabbitmq"], indirect=True)
def test_ten_kills_lose_nothing_and_double_nothing(own: FaultyBroker | OwnRabbitMQ, tmp_path: Path) -> None:
    rounds(own, tmp_path, KILLED["penstock" if isinstance(own, FaultyBroker) else "rabbitmq"])


@pytest.mark.soak
@pytest.mark.parametrize("own", ["penstock", "rabbitmq"], indirect=True)
def test_ten_kills_of_broker_and_driver_lose_nothing_and_double_nothing(
    own: FaultyBroker | OwnRabbitMQ, tmp_path: Path
) -> None:
    rounds(own, tmp_path, ["broker", "driver"] * 5)
