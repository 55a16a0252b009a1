"""What readers take from AMQP queues, large bodies too, as it came."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from penstock.broker import reader as broker_reader
from penstock.server.amqp.bodies import LargeBodies
from penstock.server.amqp.form import AmqpForm, LargeAmqpForm
from penstock.store import SqliteStore
from tests.broker.support import NO_FRONT, Bench
from tests.server.amqp.letters import large, small

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.server.amqp.message import AmqpMessage


@pytest.mark.parametrize("window", [broker_reader.WINDOW_BYTES, 0])
def test_frames_and_large_bodies_are_read_again_until_they_are_committed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, window: int
) -> None:
    monkeypatch.setattr(broker_reader, "WINDOW_BYTES", window)
    store = SqliteStore(tmp_path / "store")
    bodies = LargeBodies(store.contents)
    bench = Bench(store, forms=[AmqpForm(), LargeAmqpForm(bodies)])
    queue = bench.queue()
    reader = bench.host().readers.open("q", "r")
    for message in (small(), large(bodies, b"large")):
        message.references += 1
        queue.put(message, bench.clock.now())
    frames = [cast("AmqpMessage", found.message).frames for found in queue.peek()]
    del message
    reader.take(9, 100, bench.clock.now())
    bench.finish()
    for _ in range(2):
        parts = bench.loop.run_until_complete(reader.read(0, 9, NO_FRONT))
        found = [taken.message for part in parts if isinstance(part, list) for taken in part]
        assert [bytes(message.body) for message in found] == [b"hello", b"large"]
        assert [cast("AmqpMessage", message).frames for message in found] == frames
    del found, parts
    reader.commit(2)
    bench.finish()
    assert list((tmp_path / "store" / "contents").iterdir()) == []
    bodies.close()
    bench.leave()
