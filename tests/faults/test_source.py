"""The source under kill -9, at random moments: of the driver with all of Spark, of the process that plans, of
those that execute, of Penstock and of RabbitMQ.

Whatever dies, each table has every message of its queue exactly once in the end, and nothing waits anywhere.
One Spark reads from both brokers: a Java is dear, and whoever dies in it dies for both.
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
from dataclasses import dataclass
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

#: Messages for each kill and queue, so that it comes in the middle of something.
MESSAGES = 300
#: Small batches, so that a moment at random falls into any part of one.
BATCH = 100
#: Seconds within which somebody is killed after rows have begun to come.
SOON = 0.4
#: What the processes of Spark's that run Python are called.
PLANNER, EXECUTOR = "python_streaming_source_runner", "pyspark.daemon pyspark.worker"
#: The driver of a pipeline on Penstock is killed in test_pipelines.py.
EACH_ONCE = ("broker", "executor", "planner")
ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Line:
    """A queue of a broker that may be killed, and the table into which it flows."""

    own: FaultyBroker | OwnRabbitMQ
    folder: Path

    @contextmanager
    def queue(self) -> Iterator[SparkQueue]:
        """By a connection of its own: one that saw the broker die may still lose what it publishes."""
        kind = "penstock" if isinstance(self.own, FaultyBroker) else "rabbitmq"
        port = int(self.own.url.rpartition(":")[2].strip("/"))
        with connect(self.own.url) as client:
            queue = SparkQueue(Running(name=kind, port=port, processes=()), client, "orders", self.folder)
            queue.declare()
            yield queue

    def options(self) -> dict[str, str]:
        with self.queue() as queue:
            return queue.options | {"columns": "position,message_id", "max_rows": str(BATCH)}

    def publish(self, numbers: range) -> None:
        with self.queue() as queue:
            queue.publish(numbers)

    def rows(self) -> list[tuple[int, str]]:
        """What the table holds."""
        return [
            (position, name)
            for path in (self.folder / "table").glob("*.json")
            for position, name in json.loads(path.read_text())
        ]

    def has_rows(self, count: int) -> bool:
        return len(self.rows()) >= count

    def demand_each_once(self, count: int) -> None:
        until(partial(self.has_rows, count))
        with self.queue() as queue:
            until(lambda: queue.committed() == count)
            rows = self.rows()
            assert Counter(name for _, name in rows) == Counter(f"m{number}" for number in range(count))
            assert sorted(position for position, _ in rows) == list(range(1, count + 1))
            until(lambda: queue.waiting() == 0)


class Driver:
    """The program with the queries, and everything of Spark's that it starts."""

    def __init__(self, folder: Path, lines: Sequence[Line]) -> None:
        self._folder = folder
        self._queries = json.dumps({str(line.folder): line.options() for line in lines})
        self._process: Process | None = None
        self._lives = 0

    def start(self) -> None:
        self._lives += 1
        child = launch(
            [sys.executable, "-m", "tests.faults.spark_driver", self._queries],
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


@pytest.fixture
def lines(tmp_path: Path, real_program: Callable[[str], Path]) -> Iterator[list[Line]]:
    """One of each kind of broker."""
    ours, theirs = tmp_path / "penstock", tmp_path / "rabbitmq"
    for folder in (ours, theirs):
        (folder / "broker").mkdir(parents=True)
    with (
        FaultyBroker(ours / "broker") as broker,
        OwnRabbitMQ(real_program("rabbitmq"), theirs / "broker") as node,
    ):
        broker.start()
        yield [Line(broker, ours), Line(node, theirs)]


def rounds(lines: Sequence[Line], folder: Path, killed: Sequence[str]) -> None:
    """Kill one after the other, each time a little after new rows have begun to come on one of the lines."""
    driver = Driver(folder, lines)
    driver.start()
    try:
        for number, victim in enumerate(killed):
            for line in lines:
                line.publish(range(number * MESSAGES, (number + 1) * MESSAGES))
            until(partial(lines[number % len(lines)].has_rows, number * MESSAGES + 1))
            time.sleep(SOON * random.random())
            kill(victim, lines, driver)
        for line in lines:
            line.demand_each_once(MESSAGES * len(killed))
    finally:
        driver.kill()


def kill(victim: str, lines: Sequence[Line], driver: Driver) -> None:
    """What does not come back by itself is started again."""
    if victim == "planner":
        driver.kill_some(PLANNER)
    elif victim == "executor":
        driver.kill_some(EXECUTOR)
    else:
        ended: list[FaultyBroker | OwnRabbitMQ | Driver]
        ended = [line.own for line in lines] if victim == "broker" else [driver]
        for each in ended:
            each.kill()
        for each in ended:
            each.start()


def test_kills_lose_nothing_and_double_nothing(lines: list[Line], tmp_path: Path) -> None:
    rounds(lines, tmp_path, EACH_ONCE)


@pytest.mark.soak
def test_twenty_kills_lose_nothing_and_double_nothing(lines: list[Line], tmp_path: Path) -> None:
    rounds(lines, tmp_path, random.sample([*EACH_ONCE, "driver"] * 5, 20))
