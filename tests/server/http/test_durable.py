from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from penstock.server.embedded import Embedded
from penstock.server.http.durable import durable
from tests.server.http.served import House, Said

if TYPE_CHECKING:
    from pathlib import Path

READER = "/api/readers/%2F/q/r"


def test_it_waits_for_the_disk_and_for_nothing_if_nothing_is_to_be_written(tmp_path: Path) -> None:
    async def story() -> None:
        embedded = await Embedded.start(data=tmp_path)
        broker = embedded.broker
        host = broker.hosts["/"]
        host.create_queue("q", persistent=True, now=broker.now)
        batch = broker.records.batch.number
        await durable(broker)
        assert broker.writer.written >= batch
        await durable(broker)
        await embedded.close()

    asyncio.run(story())


def table() -> bytes:
    sink = pa.BufferOutputStream()
    batch = pa.RecordBatch.from_pydict({"body": ["x"], "routing_key": ["q"]})
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("PUT", "/api/readers/%2F/q/new", None),
        ("POST", f"{READER}/take", {"rows": 1, "size": 1, "holder": ""}),
        ("POST", f"{READER}/commit", {"position": 1, "holder": ""}),
        ("DELETE", READER, None),
        ("POST", "/api/publish/%2F", table()),
    ],
)
def test_nothing_is_told_before_it_is_written(
    verb: str, path: str, body: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with House(data=tmp_path) as house:
        house.fill("q", [b"1", b"2"])
        house.ask("PUT", READER)
        house.ask("POST", f"{READER}/take", {"rows": 1, "size": 1, "holder": ""})
        store: Any = house.embedded.broker.writer._store
        write, gate, reached = store.write, threading.Event(), threading.Event()

        def slow(batch: Any) -> None:
            reached.set()
            gate.wait()
            write(batch)

        monkeypatch.setattr(store, "write", slow)
        answers: list[Said] = []
        asking = threading.Thread(target=lambda: answers.append(house.ask(verb, path, body)))
        asking.start()
        try:
            assert reached.wait(60)
            # Everything that could answer has had its turn.
            house.run(asyncio.sleep(0.05))
            assert answers == []
        finally:
            gate.set()
            asking.join()
        assert [answer.status for answer in answers] == [200]
