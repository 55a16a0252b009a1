"""Live clients: how soon a broadcast reaches all clients of one gateway, and a message its one client.

    python bench/gateway.py [--quick] [--clients N]

A broker, a gateway (`penstock gateway`) and two processes of clients, half of the clients each; messages are
published here, durably, over AMQP. Broadcasts go one at a time to a room that all have joined: from the
publish to the arrival at the last client. Single messages go to one user each, 200 a second: from the publish
to the arrival. All processes read one monotonic clock. The clients speak WebSocket in a few lines of ours.
CPU: how long the gateway worked for one broadcast, which says what an idle machine would make of it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import resource
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import uvloop

from penstock.messaging import open_broker
from penstock.workers.gateway import Sender, SessionTokens

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers import penstock
from tests.servers.running import HOST, Process, free_port, launch, wait_until_it_listens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

CLIENTS: Final = 5_000
QUICK: Final = 1_000
PROCESSES: Final = 2
BROADCASTS: Final = 15
SINGLES: Final = 3_000
RATE: Final = 200.0
ROOM: Final = "everybody"
#: Seconds within which a broadcast must have reached all, and 99 of 100 single messages their client.
ALL_WITHIN: Final = 1.0
ONE_WITHIN: Final = 0.05
#: Connections that are opened at a time.
AT_ONCE: Final = 50
TEXT, PING, PONG = 0x1, 0x9, 0xA
TICKS: Final = os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/gateway.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} clients")
    parser.add_argument("--clients", type=int, metavar="N", help=f"{CLIENTS} unless it is said")
    options = parser.parse_args()
    allow_open_files()
    clients = options.clients or (QUICK if options.quick else CLIENTS)
    with tempfile.TemporaryDirectory(prefix="penstock-bench-gateway-") as folder:
        return measured(Path(folder), clients)


def allow_open_files() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


# Clients


class Client(asyncio.Protocol):
    """A connection that opens a session, joins the room, and notes when what arrives."""

    def __init__(self, crowd: Crowd, token: str) -> None:
        self._crowd = crowd
        self._token = token
        self._received = b""
        self._is_upgraded = False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        head = f"GET /ws HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        transport.write((head + key).encode())

    def data_received(self, data: bytes) -> None:
        now = perf_counter()
        self._received += data
        if not self._is_upgraded:
            head, separator, rest = self._received.partition(b"\r\n\r\n")
            if not separator:
                return
            assert b" 101 " in head, head
            self._is_upgraded, self._received = True, rest
            content = {"token": self._token, "rooms": [ROOM]}
            self._send(TEXT, json.dumps({"route": "/session/open", "content": content}).encode())
        while (payload := self._maybe_frame()) is not None:
            self._crowd.note(json.loads(payload), now)

    def _maybe_frame(self) -> bytes | None:
        """The next text frame that is whole; pings are answered on the way."""
        while len(self._received) > 1:
            opcode, length, begins = self._received[0] & 0xF, self._received[1] & 0x7F, 2
            if length == 126:  # noqa: PLR2004  RFC 6455 §5.2
                length, begins = int.from_bytes(self._received[2:4], "big"), 4
            if len(self._received) < begins + length:
                return None
            payload, self._received = (
                self._received[begins : begins + length],
                self._received[begins + length :],
            )
            if opcode == TEXT:
                return payload
            assert opcode == PING, f"the gateway has closed: {payload!r}"
            self._send(PONG, payload)
        return None

    def _send(self, opcode: int, payload: bytes) -> None:
        """A frame with a mask of zeros, which is one."""
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")  # noqa: PLR2004  as above
        self._transport.write(bytes([0x80 | opcode]) + length + bytes(4) + payload)

    def connection_lost(self, exc: Exception | None) -> None:
        assert self._crowd.is_over, f"a client was lost: {exc}"


class Crowd:
    """All clients of a process, and what arrived."""

    def __init__(self) -> None:
        self.opened = 0
        self.is_over = False
        #: Of each broadcast: how many clients have it, and how long the last took.
        self.broadcasts: dict[int, tuple[int, float]] = {}
        self.singles: list[float] = []

    def note(self, message: dict[str, Any], now: float) -> None:
        route, content = message["route"], message["content"]
        if route == "/one":
            self.singles.append(now - content["sent"])
        elif route == "/all":
            count, longest = self.broadcasts.get(content["number"], (0, 0.0))
            self.broadcasts[content["number"]] = count + 1, max(longest, now - content["sent"])
        elif route == "/session/open":
            assert message["status"] == 200, message  # noqa: PLR2004  as HTTP's
            self.opened += 1


def run_clients(pipe: Connection, port: int, secret: bytes, users: range) -> None:
    allow_open_files()
    uvloop.run(crowded(pipe, port, secret, users))


async def joined(crowd: Crowd, token: str, port: int) -> None:
    await asyncio.get_running_loop().create_connection(lambda: Client(crowd, token), HOST, port)


async def crowded(pipe: Connection, port: int, secret: bytes, users: range) -> None:
    crowd, tokens, loop = Crowd(), SessionTokens(secret), asyncio.get_running_loop()
    for number in range(0, len(users), AT_ONCE):
        batch = users[number : number + AT_ONCE]
        await asyncio.gather(*(joined(crowd, tokens.issue(user), port) for user in batch))
        while crowd.opened < number + len(batch):  # noqa: ASYNC110  clients, and no measure of them
            await asyncio.sleep(0.01)
    pipe.send("ready")
    asked = asyncio.Event()
    loop.add_reader(pipe.fileno(), asked.set)
    while True:
        await asked.wait()
        asked.clear()
        if pipe.poll():
            if pipe.recv() == "end":
                crowd.is_over = True
                return
            pipe.send((crowd.broadcasts, crowd.singles))


# All together


@contextmanager
def gateway_on(url: str, folder: Path, secret: bytes) -> Iterator[tuple[int, int]]:
    """The gateway's port and process."""
    (folder / "secret").write_bytes(secret)
    port, log = free_port(), folder / "gateway.log"
    command = [sys.executable, "-m", "penstock", "gateway", "--url", url, "--listen", f"{HOST}:{port}"]
    command += ["--secret", str(folder / "secret"), "--room", ROOM]
    child = launch(command, folder=folder, environment=dict(os.environ), log=log)
    try:
        wait_until_it_listens(port, child=child, log=log)
        yield port, child.pid
    finally:
        Process.of(child).end()


@contextmanager
def clients_on(port: int, secret: bytes, count: int) -> Iterator[list[Connection]]:
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    processes: list[Any] = []
    for number in range(PROCESSES):
        ours, theirs = context.Pipe()
        users = range(number, count, PROCESSES)
        process = context.Process(target=run_clients, args=(theirs, port, secret, users), daemon=True)
        process.start()
        pipes.append(ours)
        processes.append(process)
    for pipe in pipes:
        assert pipe.recv() == "ready"
    yield pipes
    for pipe, process in zip(pipes, processes, strict=True):
        pipe.send("end")
        process.join()


def measured(folder: Path, count: int) -> int:
    secret, broker = os.urandom(32), penstock.start(folder)
    try:
        with gateway_on(broker.url, folder, secret) as (port, pid):
            begun = perf_counter()
            with clients_on(port, secret, count) as pipes:
                print(f"{count:,} clients on one gateway, there after {perf_counter() - begun:.1f} s")
                return uvloop.run(sent(broker.url, pipes, count, pid))
    finally:
        broker.end()


async def sent(url: str, pipes: list[Connection], count: int, pid: int) -> int:
    broker = await open_broker(url)
    sender = Sender(broker)
    before = cpu_s(pid)
    for number in range(BROADCASTS):
        await sender.to_room(ROOM, "/all", {"number": number, "sent": perf_counter()})
        while sum(told[0].get(number, (0, 0.0))[0] for told in asked(pipes)) < count:  # noqa: ASYNC110  elsewhere
            await asyncio.sleep(0.05)
    spent = (cpu_s(pid) - before) / BROADCASTS
    due = perf_counter()
    for _ in range(SINGLES):
        await sender.to_user(random.randrange(count), "/one", {"sent": perf_counter()})
        due += 1 / RATE
        await asyncio.sleep(due - perf_counter())
    while sum(len(told[1]) for told in asked(pipes)) < SINGLES:  # noqa: ASYNC110  likewise
        await asyncio.sleep(0.05)
    await broker.close()
    return shown(asked(pipes), spent)


def asked(pipes: list[Connection]) -> list[tuple[dict[int, tuple[int, float]], list[float]]]:
    for pipe in pipes:
        pipe.send("tell")
    return [pipe.recv() for pipe in pipes]


def shown(told: list[tuple[dict[int, tuple[int, float]], list[float]]], spent: float) -> int:
    lasts = [max(broadcasts[number][1] for broadcasts, _ in told) for number in range(BROADCASTS)]
    singles = sorted(latency for _, several in told for latency in several)
    share = singles[len(singles) * 99 // 100]
    rows = [("a broadcast to all", median(lasts), max(lasts), ALL_WITHIN)]
    rows += [("a single message, 99 of 100", median(singles), share, ONE_WITHIN)]
    print(f"{'':30}{'median':>10}{'worst':>10}{'limit':>10}")
    for name, middle, worst, limit in rows:
        verdict = "ok" if worst <= limit else "MISSED"
        print(f"{name:30}{1e3 * middle:7.1f} ms{1e3 * worst:7.1f} ms{1e3 * limit:7.0f} ms  {verdict}")
    print(f"CPU of the gateway for a broadcast: {1e3 * spent:.0f} ms")
    return 0 if all(worst <= limit for _, _, worst, limit in rows) else 1


def cpu_s(pid: int) -> float:
    """Seconds that a process has worked."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    sys.exit(main())
