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
from tests.pipelines.queues import SparkQueue, until
from tests.servers.penstock import SOURCE
from tests.servers.running import HOST, Process, Running, free_port, launch, wait_until_it_listens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

MESSAGES = 3_000
#: Small batches, so that a moment at random falls into any part of one.
BATCH = 100
ROOT = Path(__file__).resolve().parents[2]


class OwnPenstock:
    """A broker of the test's own; `start` begins its next life, on the same port and data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = free_port()
        self._process: Process | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@{HOST}:{self._port}/"

    def start(self) -> None:
        log = self._folder / "penstock.log"
        child = launch(
            [sys.executable, "-m", "penstock", "broker", "--amqp", f"{HOST}:{self._port}", "--data", "data"],
            folder=self._folder,
            environment=os.environ | {"PYTHONPATH": str(SOURCE)},
            log=log,
        )
        self._process = Process.of(child, farewell=signal.SIGKILL)
        wait_until_it_listens(self._port, child=child, log=log)

    def kill(self) -> None:
        if self._process is not None:
            self._process.end()


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


@pytest.fixture(params=["penstock", "rabbitmq"])
def own(
    request: pytest.FixtureRequest, tmp_path: Path, real_program: Callable[[str], Path]
) -> Iterator[OwnPenstock | OwnRabbitMQ]:
    """A broker of each kind that may be killed."""
    folder = tmp_path / "broker"
    folder.mkdir()
    made = (
        OwnPenstock(folder) if request.param == "penstock" else OwnRabbitMQ(real_program("rabbitmq"), folder)
    )
    with made:
        yield made


def has_rows(driver: Driver, count: int) -> bool:
    return len(driver.rows()) >= count


def rounds(own: OwnPenstock | OwnRabbitMQ, folder: Path, count: int) -> None:
    """Kill the driver, the broker, and again, each time a little after rows have begun to come."""
    kind = "penstock" if isinstance(own, OwnPenstock) else "rabbitmq"
    port = int(own.url.rpartition(":")[2].strip("/"))
    with connect(own.url) as client:
        queue = SparkQueue(Running(name=kind, port=port, processes=()), client, "orders", folder)
        queue.declare()
        queue.publish(range(MESSAGES))
        limits = {"columns": "position,message_id", "max_rows": str(BATCH)}
        driver = Driver(folder, queue.options | limits)
        driver.start()
        try:
            for number in range(count):
                wanted = min(len(driver.rows()) + 1, MESSAGES)
                until(partial(has_rows, driver, wanted))
                time.sleep(random.random())
                if number % 2:
                    own.kill()
                    own.start()
                else:
                    driver.kill()
                    driver.start()
            until(partial(has_rows, driver, MESSAGES))
            until(lambda: queue.committed() == MESSAGES)
        finally:
            driver.kill()
        rows = driver.rows()
        assert Counter(name for _, name in rows) == Counter(f"m{number}" for number in range(MESSAGES))
        assert sorted(position for position, _ in rows) == list(range(1, MESSAGES + 1))
        until(lambda: queue.waiting() == 0)


def test_three_kills_lose_nothing_and_double_nothing(own: OwnPenstock | OwnRabbitMQ, tmp_path: Path) -> None:
    rounds(own, tmp_path, 3)


@pytest.mark.soak
def test_ten_kills_lose_nothing_and_double_nothing(own: OwnPenstock | OwnRabbitMQ, tmp_path: Path) -> None:
    rounds(own, tmp_path, 10)
