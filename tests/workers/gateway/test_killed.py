"""A gateway or its broker is killed: clients go to another gateway, or stay, and miss nothing."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from penstock.workers import Job, Routes, Worker
from penstock.workers.gateway import Sender
from tests.servers import penstock
from tests.servers.nursery import nursery
from tests.servers.running import HOST, Process, Running, free_port, wait_until_it_is_ready
from tests.workers.gateway.support import SOON, gateway_on, opened_broker, talk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from penstock.workers.gateway import Gateway

SECRET = b"a secret for tests, and no other" * 2
COUNT = 50


class Gateways:
    """Gateways as users start them, each a process."""

    def __init__(self, folder: Path, url: str, name: str) -> None:
        self._folder, self._url, self._name = folder, url, name
        self._running: dict[str, Running] = {}
        (folder / "secret").write_bytes(SECRET)
        self.ports = {each: free_port() for each in "ab"}

    def start(self, which: str) -> None:
        port, log = self.ports[which], self._folder / f"{which}.log"
        arguments = ["--url", self._url, "--listen", f"{HOST}:{port}", "--name", f"{self._name}-{which}"]
        arguments += ["--secret", str(self._folder / "secret"), "--room", "planet:*"]
        born = nursery("penstock.cli:main", "penstock.cli.gateway_process")
        log.unlink(missing_ok=True)  # an earlier life was ready, too
        child = born.start("gateway", *arguments, folder=self._folder, log=log)
        self._running[which] = Running(name=which, port=port, processes=(Process.of(child),))
        wait_until_it_is_ready(child=child, log=log)

    def kill(self, which: str) -> None:
        [process] = self._running.pop(which).processes
        os.kill(process.pid, signal.SIGKILL)

    def end(self) -> None:
        for running in self._running.values():
            running.end()


@pytest.fixture
def gateways(tmp_path: Path, penstock_server: Running, name: str) -> Iterator[Gateways]:
    made = Gateways(tmp_path, penstock_server.url, name)
    yield made
    made.end()


def test_nothing_is_missed_when_a_gateway_is_killed(
    gateways: Gateways, penstock_server: Running, name: str
) -> None:
    user, room = f"user of {name}", f"planet:{name}"

    async def story() -> None:
        for which in "ab":
            gateways.start(which)
        async with opened_broker(penstock_server.url) as broker:
            sender = Sender(broker)
            async with talk(gateways.ports["a"], user) as client, talk(gateways.ports["b"], user) as witness:
                await client.ask("/room/join", room=room)
                await sender.to_user(user, "/x", "seen")
                mark = (await client.next())["id"]
                assert (await witness.next())["id"] == mark
                publishing = asyncio.create_task(published(sender, user, room))
                # Some are on their way to the client, others in the gateway, and others in its pipe.
                await client.next()
                gateways.kill("a")
                await client.closed()
            await publishing
            for which in "ba":
                if which == "a":
                    gateways.start("a")
                async with talk(gateways.ports[which], user, mark=mark, rooms=[room]) as client:
                    assert client.opened["resumed"] == "whole"
                    told = [(await client.next())["content"] for _ in range(2 * COUNT)]
                    assert told == [each for number in range(COUNT) for each in (number, f"room {number}")]

    asyncio.run(story())


async def published(sender: Sender, user: str, room: str) -> None:
    for number in range(COUNT):
        await sender.to_user(user, "/x", number)
        await sender.to_room(room, "/y", f"room {number}")


def test_clients_notice_nothing_when_the_broker_is_killed_and_comes_back(tmp_path: Path, name: str) -> None:
    port = free_port()

    async def story() -> None:
        running = penstock.bear(tmp_path, port)
        try:
            async with opened_broker(running.url) as broker, gateway_on(broker, name) as gateway:
                async with talk(gateway.port) as client:
                    await Sender(broker).to_user(3, "/x", "before")
                    mark = (await client.next())["id"]
                    os.kill(running.processes[0].pid, signal.SIGKILL)
                    running.end()
                    await comes_true(lambda: not broker.client.is_connected)
                    assert await health(gateway) == "503 the broker is away"
                    running = await asyncio.to_thread(penstock.bear, tmp_path, port)
                    await Sender(broker).to_user(3, "/x", "after")
                    assert await health(gateway) == "200 ok"
                    assert (await client.next())["content"] == "after"
                async with talk(gateway.port, mark=mark) as client:
                    assert client.opened["resumed"] == "whole"
                    assert (await client.next())["content"] == "after"
        finally:
            running.end()

    asyncio.run(story())


def test_a_reply_that_no_gateway_has_taken_yet_outlives_the_broker(tmp_path: Path, name: str) -> None:
    routes, port = Routes("bg_starmap"), free_port()

    @routes.route("/starmap/getMapChunk")
    async def get_map_chunk(job: Job[Any]) -> str:
        return "stars"

    async def story() -> None:
        running = penstock.bear(tmp_path, port)
        try:
            async with opened_broker(running.url) as broker:
                # Given a job that was asked for, and was done while no gateway was there
                async with gateway_on(broker, name) as gateway, talk(gateway.port) as client:
                    await client.ask("/starmap/getMapChunk", msgId=1)
                async with Worker(routes, broker=broker) as worker:
                    await comes_true(lambda: worker.done == 1)
                # When the broker is killed
                os.kill(running.processes[0].pid, signal.SIGKILL)
                running.end()
                running = await asyncio.to_thread(penstock.bear, tmp_path, port)
            # Then the reply reaches the client that asked
            async with (
                opened_broker(running.url) as broker,
                gateway_on(broker, name) as gateway,
                talk(gateway.port, mark="long ago") as client,
            ):
                told = await client.next()
                assert (told["msgId"], told["status"], told["content"]) == (1, 200, "stars")
        finally:
            running.end()

    asyncio.run(story())


async def health(gateway: Gateway) -> str:
    """What a balancer is told that asks whether to send clients here."""
    reader, writer = await asyncio.open_connection(HOST, gateway.port)
    writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
    head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    return f"{head.split()[1]} {body.strip()}"


async def comes_true(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(SOON):
        while not condition():  # noqa: ASYNC110  a worker's to do
            await asyncio.sleep(0.01)
