"""Intake: how many DID operations a second a domain accepts over HTTP, durably.

    python bench/did_intake.py [--quick] [--processes N]

A broker in a process of its own, persistent and confirmed; the domain's HTTP in another, or in several that
share a socket; a third takes what was accepted into the operation queue's database (SQLite), as the batch
writer's does; a fourth posts over many connections, each waiting for its answer. 60 % creates, 30 % updates,
5 % recovers, 5 % deactivates, ES256; the DIDs that are changed were anchored before. Accepted: answered 200.
At the end as many operations wait in the queue as were accepted. CPU: microseconds of each process for one
operation, which say what another machine, or one with less to do, would make of it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import TYPE_CHECKING, Final

import uvloop
from sqlalchemy import func, select

from penstock.did.operation_queue.tables import operations
from penstock.did.operations import add_operations
from penstock.sidetree import requests
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.canonical import canonical
from penstock.sidetree.jws import read_jws, verify
from penstock.sidetree.multihash import hashed
from penstock.sidetree.protocol import ORB
from penstock.sidetree.signing import SigningKey

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.did_parts import ORIGIN, served

if TYPE_CHECKING:
    from penstock.did.database import DomainDatabase

COUNT: Final = 30_000
QUICK: Final = 6_000
CONNECTIONS: Final = 200
#: Operations a second that must be accepted at least.
WANTED: Final = 2_000
#: Of twenty: twelve creates, six updates, a recover, a deactivate.
MIX: Final = ("create",) * 12 + ("update",) * 6 + ("recover", "deactivate")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/did_intake.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer operations")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="of the domain's HTTP")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="penstock-bench-intake-") as folder:
        return measured(Path(folder), QUICK if options.quick else COUNT, options.processes)


# Operations


def prepared(count: int) -> tuple[list[bytes], list[Anchored]]:
    """The requests that are posted, and the creates of the DIDs that some of them change."""
    # A key signs one operation of one DID in earnest; here it may sign for all, which checks no less.
    update, recovery, later, last = (SigningKey.made() for _ in range(4))
    posted, anchored = [], []
    for number in range(count):
        kind = MIX[number % len(MIX)]
        made = requests.create(
            [patch(number)], recovery_key=recovery.public, update_key=update.public, anchor_origin=ORIGIN
        )
        suffix = hashed(made["suffixData"])
        if kind != "create":
            anchored.append(
                Anchored(
                    type="create",
                    suffix=suffix,
                    request=canonical(made),
                    time=1,
                    reference="uAnchor",
                    anchor_origin=ORIGIN,
                )
            )
        if kind == "update":
            made = requests.update(suffix, [patch(number)], key=update, next_update_key=later.public)
        elif kind == "recover":
            made = requests.recover(
                suffix,
                [patch(number)],
                key=recovery,
                next_recovery_key=last.public,
                next_update_key=later.public,
                anchor_origin=ORIGIN,
            )
        elif kind == "deactivate":
            made = requests.deactivate(suffix, key=recovery)
        posted.append(canonical(made))
    return posted, anchored


def patch(number: int) -> dict[str, object]:
    jwk = {"kty": "EC", "crv": "P-256", "x": f"{number:042}A", "y": f"{number:042}A"}
    key = {"id": "main", "type": "JsonWebKey2020", "purposes": ["authentication"], "publicKeyJwk": jwk}
    return {"action": "add-public-keys", "publicKeys": [key]}


# Posting


class Poster(asyncio.Protocol):
    """A connection that posts one operation after another."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd = crowd
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._post()

    def _post(self) -> None:
        body = self._crowd.next()
        if body is None:
            self._transport.close()
            return
        head = b"POST /sidetree/v1/operations HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
        self._transport.write(head % len(body) + body)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        if len(body) < length:
            return
        assert head.startswith(b"HTTP/1.1 200"), self._received[:500]
        self._received = b""
        self._crowd.answered()
        self._post()


class Crowd:
    """All that is posted, and how many of it are answered."""

    def __init__(self, posted: list[bytes]) -> None:
        self._left = iter(posted)
        self._waiting = len(posted)
        self.done = asyncio.Event()

    def next(self) -> bytes | None:
        return next(self._left, None)

    def answered(self) -> None:
        self._waiting -= 1
        if not self._waiting:
            self.done.set()


async def post_all(posted: list[bytes], port: int) -> float:
    """Operations a second."""
    crowd, loop = Crowd(posted), asyncio.get_running_loop()
    begun = perf_counter()
    for _ in range(CONNECTIONS):
        await loop.create_connection(lambda: Poster(crowd), "127.0.0.1", port)
    await crowd.done.wait()
    return len(posted) / (perf_counter() - begun)


# All together


def measured(folder: Path, count: int, processes: int) -> int:
    posted, anchored = prepared(count)
    with served(folder, f"sqlite:///{folder}/domain.db", processes=processes) as domain:
        domain.database.do(add_operations, anchored)
        before = domain.cpu_s()
        rate = uvloop.run(post_all(posted, domain.port))
        wait_until_taken(domain.database, count)
        spent = {name: seconds - before[name] for name, seconds in domain.cpu_s().items()}
    verdict = "ok" if rate >= WANTED else "MISSED"
    print(f"{count:,} operations, {processes} HTTP process(es), {CONNECTIONS} connections")
    print(f"accepted a second: {rate:,.0f}, wanted {WANTED:,}: {verdict}")
    print("CPU µs an operation: " + ", ".join(f"{name} {1e6 * s / count:.0f}" for name, s in spent.items()))
    print(f"CPU µs of checking one ES256 signature meanwhile: {verifying_us():.0f}; alone on the machine: 84")
    return 0 if rate >= WANTED else 1


def wait_until_taken(database: DomainDatabase, count: int) -> None:
    """Everything that was accepted is in the queue."""
    while database.read(lambda c: c.scalar(select(func.count()).select_from(operations))) != count:
        sleep(0.1)


def verifying_us(times: int = 500) -> float:
    """What tells how much of a core one gets on a machine that others use."""
    key = SigningKey.made()
    jws = read_jws(key.sign({"times": times}), ORB.signature_algorithms)
    begun = process_time()
    for _ in range(times):
        verify(jws, key.public)
    return 1e6 * (process_time() - begun) / times


if __name__ == "__main__":
    sys.exit(main())
