from __future__ import annotations

import asyncio
import json
import threading
from typing import TYPE_CHECKING, Any

from penstock.cli.tailing import run_tail
from penstock.client import Outgoing, connect
from penstock.wire.amqp import BasicProperties

if TYPE_CHECKING:
    import pytest

    from tests.servers.running import Running


class Publisher:
    """Publishes the same to a topic until it is no longer needed."""

    def __init__(self, url: str, key: str, body: bytes) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._publish(url, key, body)))

    async def _publish(self, url: str, key: str, body: bytes) -> None:
        async with await connect(url) as client:
            properties = BasicProperties.of(message_id="m1", headers={"region": "eu"})
            while not self._over.is_set():
                await client.publish(Outgoing("amq.topic", key, body, properties, mandatory=False))
                await asyncio.sleep(0.02)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


def test_what_is_published_is_shown_until_enough(
    penstock_server: Running, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Publisher(penstock_server.url, f"{name}.new", b"hello"):
        bound: list[tuple[str, str, dict[str, Any]]] = [("amq.topic", f"{name}.#", {})]
        run_tail(penstock_server.url, bound, limit=2, as_json=True)
        run_tail(penstock_server.url, bound, limit=1, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    first = json.loads(lines[0])
    assert (first["payload"], first["routing_key"], first["exchange"]) == (
        "hello",
        f"{name}.new",
        "amq.topic",
    )
    assert first["properties"]["headers"] == {"region": "eu"}
    assert lines[2:] == [f"amq.topic {name}.new  message_id=m1", "  region: eu", "  | hello"]


def test_bytes_that_are_no_text_are_told_as_such(
    penstock_server: Running, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Publisher(penstock_server.url, name, b"\xff"):
        run_tail(penstock_server.url, [("amq.topic", name, {})], limit=1, as_json=True)
    assert json.loads(capsys.readouterr().out)["payload_encoding"] == "base64"
