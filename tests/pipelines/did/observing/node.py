"""A domain that observes what its queues tell, on a real broker and a real Spark."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.client import Outgoing
from penstock.client.reader import QueueReader
from penstock.client.sync import connect
from penstock.clock import SystemClock
from penstock.did.anchoring import AnchorInfo
from penstock.did.domain.parts import create_tables, open_database
from penstock.did.operations import operations_of
from penstock.pipelines.declared.registry import Pipelines
from penstock.pipelines.declared.supervising import Supervisor
from penstock.pipelines.did.observing.pipeline import READER, observing
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import SparkSession

    from penstock.did.cas import HashLink
    from penstock.did.domain import Places
    from penstock.pipelines.declared.status import State
    from penstock.sidetree.anchored import Anchored


class Node:
    """The domain of these places; how far its pipelines came is kept in the folder."""

    def __init__(self, places: Places, folder: Path) -> None:
        self.places, self.folder = places, folder
        self._database = open_database(places)
        create_tables(self._database)

    def close(self) -> None:
        self._database.close()

    # Queues

    def publish(self, queue: str, *bodies: bytes) -> None:
        word = self.places.word
        with connect(self.places.broker) as client:
            # As domains do: what is not persistent goes with a broker that is killed.
            kept = BasicProperties.of(delivery_mode=2)
            told = [Outgoing(word, f"{word}.{queue}", body, kept) for body in bodies]
            assert not any(client.publish_many(told))

    def tell(self, *links: HashLink) -> None:
        self.publish("anchor", *(AnchorInfo(hash_link=str(link)).encode() for link in links))

    def taken(self, queue: str) -> list[Any]:
        """What waits in a queue; it is gone then."""
        found = []
        with connect(self.places.broker) as client:
            while (delivery := client.get(f"{self.places.word}.{queue}")) is not None:
                found.append(delivery)
                delivery.ack()
        return found

    def is_done_with(self, queue: str) -> bool:
        """Whether the observer has settled all that came to a queue."""
        reader = QueueReader(self.places.broker, self.places.queues.named(queue), READER)
        try:
            state = reader.open()
        finally:
            reader.close()
        return state.committed == state.taken and not state.waiting

    def posted(self) -> list[dict[str, Any]]:
        """The activities that were posted."""
        return [msgspec.json.decode(each.body)["activity"] for each in self.taken("activity.outbox")]

    # Records

    def operations(self, suffix: str) -> list[Anchored]:
        return self._database.do(operations_of, suffix)

    # The observer

    @contextmanager
    def observer(self, spark: SparkSession, *, once: bool) -> Iterator[Supervisor]:
        """The observer, with its queues; to be run."""
        with observing(self.places) as pipelines:
            yield Supervisor(Pipelines(pipelines), self.folder, spark, clock=SystemClock(), once=once)

    @contextmanager
    def at_work(self, spark: SparkSession) -> Iterator[None]:
        """The observer runs meanwhile."""
        ends: list[Mapping[str, State]] = []
        with self.observer(spark, once=False) as supervisor:
            thread = threading.Thread(target=lambda: ends.append(supervisor.run()))
            thread.start()
            try:
                yield
            finally:
                supervisor.stop()
                thread.join()
        assert ends
