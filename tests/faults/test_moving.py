"""A broker that is killed while messages are moved from queue to queue: each is in one of them, once."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from penstock.client import sync
from penstock.client.values import Outgoing, Queue
from penstock.wire.amqp import BasicProperties
from tests.faults.broker import wait_for
from tests.servers.running import HOST, free_port

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.broker import FaultyBroker

COUNT = 4000
GUEST = {"Authorization": "Basic " + base64.b64encode(b"guest:guest").decode()}


def ask(port: int, verb: str, path: str, body: Any = None) -> Any:
    link = http.client.HTTPConnection(HOST, port, timeout=60)
    try:
        link.request(verb, path, None if body is None else json.dumps(body), GUEST)
        answer = link.getresponse()
        found = answer.read()
        assert answer.status in {200, 201, 204}, found
        return json.loads(found) if found else None
    finally:
        link.close()


def is_open(port: int) -> bool:
    try:
        socket.create_connection((HOST, port)).close()
    except ConnectionRefusedError:
        return False
    return True


def bodies(port: int, queue: str) -> list[str]:
    found: list[str] = []
    while some := ask(port, "GET", f"/api/penstock/queues/%2F/{queue}/peek?count=500&position={len(found)}"):
        found += [each["payload"] for each in some]
    return found


@pytest.mark.parametrize(
    "which",
    [pytest.param({}, id="the first", marks=pytest.mark.soak), pytest.param({"filter": "odd"}, id="some")],
)
def test_a_broker_killed_in_the_middle_of_a_move_loses_and_doubles_nothing(
    broker_with: Callable[..., FaultyBroker], which: dict[str, str]
) -> None:
    port = free_port()
    broker = broker_with("--panel", f"{HOST}:{port}", "--window", "1000")
    messages = [
        Outgoing(
            "", "q", b"%d" % number, BasicProperties.of(delivery_mode=2, headers={"odd": bool(number % 2)})
        )
        for number in range(COUNT)
    ]
    with sync.connect(broker.url) as client:
        for name in ("q", "other", "mark"):
            client.declare(Queue(name))
        client.publish_many(messages)

    def move() -> None:
        # It may be done before the end comes.
        with suppress(OSError, http.client.HTTPException):
            ask(port, "POST", "/api/penstock/queues/%2F/q/move", {"to": "other", **which})

    moving = threading.Thread(target=move)
    moving.start()
    wait_for(
        lambda: ask(port, "GET", "/api/queues/%2F/other?columns=messages")["messages"], "a first message"
    )
    with sync.connect(broker.url) as client:
        # What is confirmed is on disk, and so is what came before it: that first message, too.
        mark = Outgoing("", "mark", b"", BasicProperties.of(delivery_mode=2))
        assert client.publish_many([mark]) == [None]
    broker.kill()
    moving.join()

    broker.start()
    wait_for(lambda: is_open(port), "the panel, which opens after the broker")
    left, moved = bodies(port, "q"), bodies(port, "other")
    assert sorted([*left, *moved], key=int) == [str(number) for number in range(COUNT)]
    assert [*left, *moved] == [*sorted(left, key=int), *sorted(moved, key=int)]
    assert moved
