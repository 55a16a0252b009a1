"""kill -9 of the process that takes operations in: whatever was answered with 200 is in the queue."""

from __future__ import annotations

import asyncio
import http.client
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

from penstock.did.database import DomainDatabase
from penstock.did.domain import Places
from penstock.did.domain.keys import make_key
from penstock.did.domain.parts import create_tables
from penstock.did.operation_queue import OperationQueue
from penstock.messaging import open_broker
from tests.servers.nursery import nursery
from tests.sidetree.lives import Life

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.servers.running import Running

#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 240.0
#: Lives of the process, clients that post meanwhile, and operations that each life has taken before its end.
LIVES, CLIENTS, ENOUGH = 3, 8, 40


class Client:
    """Posts creates until it is over; knows which were accepted."""

    def __init__(self, name: str, port: int) -> None:
        self.name = name
        self.port = port
        self.accepted: list[str] = []
        self.is_over = False

    def post_all(self) -> None:
        while not self.is_over:
            life = Life(f"{self.name}-{len(self.accepted)}")
            if self.post(life.create()):
                self.accepted.append(life.suffix)

    def post(self, body: bytes) -> bool:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        try:
            connection.request("POST", "/sidetree/v1/operations", body=body)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
            return False
        finally:
            connection.close()
        assert status in {200, 503}
        return status == 200


async def taken(places: Places, database: DomainDatabase, count: int) -> set[str]:
    """All DIDs whose operations come from the broker, until there are so many."""
    broker = await open_broker(places.broker)
    queue = OperationQueue(database, me="last", queues=places.queues)
    await queue.start(broker)
    async with asyncio.timeout(PATIENCE_S):
        while len(queue) < count or queue.is_busy:  # noqa: ASYNC110  nobody is told
            await asyncio.sleep(0.02)
    found = {each.operation.unique_suffix for each in await queue.peek(len(queue))}
    await queue.stop()
    await broker.close()
    return found


def has_taken(clients: list[Client], count: int) -> bool:
    return sum(len(client.accepted) for client in clients) >= count


def live(places: Places, folder: Path, is_enough: Callable[[], bool]) -> None:
    """One life of the process that serves the domain, and its end."""
    log, port = folder / "log", places.base.rpartition(":")[2]
    process = nursery("tests.did.web.app:run").start(places.to_json(), port, folder=folder, log=log)
    try:
        until = time.monotonic() + PATIENCE_S
        while not is_enough():
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.005)
    finally:
        process.kill()


def test_what_was_answered_is_in_the_queue(tmp_path: Path, penstock_server: Running, name: str) -> None:
    # Held between two lives: else a client's own end of a connection may be given the port.
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    held.bind(("127.0.0.1", 0))
    port = held.getsockname()[1]
    places = Places(
        base=f"http://127.0.0.1:{port}",
        database=f"sqlite:///{tmp_path}/domain.db",
        storage=str(tmp_path / "cas"),
        broker=penstock_server.url,
        key=str(tmp_path / "key.pem"),
        word=name,
    )
    make_key(tmp_path / "key.pem")
    database = DomainDatabase(places.database)
    create_tables(database)
    clients = [Client(f"client{number}", port) for number in range(CLIENTS)]
    with ThreadPoolExecutor(CLIENTS) as pool:
        posting = [pool.submit(client.post_all) for client in clients]
        try:
            for life in range(1, LIVES + 1):
                live(places, tmp_path, partial(has_taken, clients, life * ENOUGH))
        finally:
            for client in clients:
                client.is_over = True
        for each in posting:
            each.result(PATIENCE_S)
    accepted = {suffix for client in clients for suffix in client.accepted}
    assert len(accepted) >= LIVES * ENOUGH
    # Others may be there whose answer was lost.
    assert accepted <= asyncio.run(taken(places, database, len(accepted)))
    database.close()
    held.close()
