"""The source under kill -9: of the driver with all of Spark, of Penstock and of RabbitMQ, at random moments.

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
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.client.sync import connect
from tests.client.rabbit import OwnRabbitMQ
from tests.faults.broker import FaultyBroker
from tests.pipelines.queues import SparkQueue, until
from tests.servers.penstock import SOURCE
from tests.servers.running import Process, Running, launch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Messages for each kill, so that there are some left for the last life.
MESSAGES = 600
#: Small batches, so that a moment at random falls into any part of one.
BATCH = 100
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


def rounds(own: FaultyBroker | OwnRabbitMQ, folder: Path, kills: int) -> None:
    """Kill the broker, the driver, and again, each time a little after rows have begun to come."""
    kind = "penstock" if isinstance(own, FaultyBroker) else "rabbitmq"
    count = MESSAGES * kills
    port = int(own.url.rpartition(":")[2].strip("/"))
    with connect(own.url) as client:
        queue = SparkQueue(Running(name=kind, port=port, processes=()), client, "orders", folder)
        queue.declare()
        queue.publish(range(count))
        limits = {"columns": "position,message_id", "max_rows": str(BATCH)}
        driver = Driver(folder, queue.options | limits)
        driver.start()
        try:
            for number in range(kills):
                until(partial(has_rows, driver, min(len(driver.rows()) + 1, count)))
                time.sleep(random.random())
                victim = driver if number % 2 else own
                victim.kill()
                victim.start()
            until(partial(has_rows, driver, count))
            until(lambda: queue.committed() == count)
        finally:
            driver.kill()
        rows = driver.rows()
        assert Counter(name for _, name in rows) == Counter(f"m{number}" for number in range(count))
        assert sorted(position for position, _ in rows) == list(range(1, count + 1))
        until(lambda: queue.waiting() == 0)


# The driver of a pipeline on Penstock is killed in test_pipelines.py.
@pytest.mark.parametrize(("own", "kills"), [("penstock", 1), ("rabbitmq", 2)], indirect=["own"])
def test_a_few_kills_lose_nothing_and_double_nothing(
    own: FaultyBroker | OwnRabbitMQ, kills: int, tmp_path: Path
) -> None:
    rounds(own, tmp_path, kills)


@pytest.mark.soak
@pytest.mark.parametrize("own", ["penstock", "rabbitmq"], indirect=True)
def test_ten_kills_lose_nothing_and_double_nothing(own: FaultyBroker | OwnRabbitMQ, tmp_path: Path) -> None:
    rounds(own, tmp_path, 10)
