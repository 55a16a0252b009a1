"""A queue of each kind of broker, as the source and the sink are given it."""

from __future__ import annotations

import shutil
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from penstock.client import Outgoing, Queue
from penstock.client.reader import QueueReader
from penstock.pipelines.spool.spool import committed_in
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from penstock.client.sync import SyncClient
    from tests.servers.running import Running

#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 600.0


@dataclass
class SparkQueue:
    """A queue, who publishes to it, and how Spark reads it."""

    broker: Running
    client: SyncClient
    name: str
    folder: Path

    @property
    def options(self) -> dict[str, str]:
        found = {"url": self.broker.url, "queue": self.name, "reader": "tests"}
        return found | ({"spool": str(self.folder / "spool")} if self.broker.name == "rabbitmq" else {})

    def publish(
        self, numbers: Iterable[int], body: Callable[[int], bytes] = lambda number: b"%d" % number
    ) -> None:
        """Messages with the ids m0, m1 …"""
        messages = [
            Outgoing(
                "",
                self.name,
                body(number),
                BasicProperties.of(
                    message_id=f"m{number}", delivery_mode=2, headers={"tenant": f"t{number % 3}"}
                ),
            )
            for number in numbers
        ]
        assert not any(self.client.publish_many(messages, PATIENCE_S))

    def stream(self, spark: SparkSession, **options: Any) -> DataFrame:
        return spark.readStream.format("penstock").options(**self.options, **options).load()

    def committed(self) -> int:
        """How far the reader is done."""
        if self.broker.name == "rabbitmq":
            return committed_in(self.folder / "spool" / quote(self.name, safe="") / "tests")
        with QueueReader(self.broker.url, self.name, "tests") as reader:
            return reader.open().committed

    def lose_data(self) -> None:
        """Let the reader be gone, with all that it knows."""
        if self.broker.name == "rabbitmq":
            shutil.rmtree(self.folder / "spool")
            return
        with QueueReader(self.broker.url, self.name, "tests") as reader:
            reader.delete()

    def waiting(self) -> int:
        state = self.client.queue_state(self.name)
        assert state is not None
        return state.messages

    def declare(self) -> None:
        self.client.declare(Queue(self.name))

    def withdraw(self) -> None:
        self.client.withdraw(Queue(self.name))


def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    pause = threading.Event()
    for _ in range(int(PATIENCE_S / 0.05)):
        if condition():
            return
        pause.wait(0.05)
    raise AssertionError(f"still not so after {PATIENCE_S} s")
