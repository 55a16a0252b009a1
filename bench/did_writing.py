"""The batch writer: DID operations a second from the queue to recorded files, and to acked batches.

    python bench/did_writing.py [--quick] [--operations N]

A mix of operations (60 % create, 30 % update, 5 % recover, 5 % deactivate, ES256), checked when they were
taken in, waits in the operation queue of a domain on SQLite; its broker is a process of its own. From when
they may be cut to when the files of the last are recorded, and to when all are anchored and acked, with one
and with two executors. Beside it, on two processes that do nothing else: the bound, which is what cannot be
left out of an operation's whole way (parse, canonical form, hash, verify once), and the writer's own pure
functions (choose, build). CPU is that of each kind of process, in microseconds an operation.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from penstock.clock import SystemClock
from penstock.did.anchoring.links import put_observed
from penstock.did.cas import HashLink, resource_hash
from penstock.did.credentials import SigningKey
from penstock.did.domain import WRITER, Domain, Places
from penstock.did.domain.keys import make_key
from penstock.did.operation_queue import Posted, QueuedOperation, operation_id
from penstock.did.operation_queue.cut_states import ACKED, CUT
from penstock.did.operation_queue.seal import Seal
from penstock.did.operation_queue.tables import cuts
from penstock.did.operations import add_operations
from penstock.did.parameters import DidParameters
from penstock.messaging.subscriptions import Delivered
from penstock.pipelines.declared import Pipelines
from penstock.pipelines.declared.supervising import Supervisor
from penstock.pipelines.did.session import open_did_session
from penstock.pipelines.did.writing.batch_writer import BatchWriter
from penstock.pipelines.did.writing.choosing import choose
from penstock.pipelines.looping import LoopThread
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical, parse
from penstock.sidetree.multihash import multihash

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.sidetree import PROTOCOLS, bound, one
from tests.servers import penstock
from tests.sidetree.lives import NOW, Life, address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

OPERATIONS: Final = 100_000
QUICK: Final = 20_000
#: Of a batch: the protocol's limit.
BATCH: Final = 10_000
TYPES: Final = ["create"] * 12 + ["update"] * 6 + ["recover", "deactivate"]
#: What two executors must be at least, in terms of one.
LIMIT: Final = 1.7
CORES: Final = 2
TICKS: Final = os.sysconf("SC_CLK_TCK")
#: Of a domain that is none.
SEAL: Final = Seal(SigningKey.generate())


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/did_writing.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer operations")
    parser.add_argument("--operations", type=int, metavar="N", help="so many of them")
    options = parser.parse_args()
    count = options.operations or (QUICK if options.quick else OPERATIONS)
    with ProcessPoolExecutor(CORES) as pool:
        pieces = [range(first, min(first + 1000, count)) for first in range(0, count, 1000)]
        requests = [request for piece in pool.map(made, pieces) for request in piece]
        print(f"{count:,} operations, a second")
        print(f"{'':26}{'rate':>10}{'of bound':>10}   CPU µs an operation")
        least = alone(pool, bound_of, requests, 1000)
        row("the bound, two processes", least, least)
        row("choose and build alone", alone(pool, chosen, requests, BATCH), least)
    rates = [measured(requests, executors, least) for executors in (1, 2)]
    ratio = rates[1] / rates[0]
    print(f"two executors are {ratio:.2f} times one; wanted {LIMIT}  {'ok' if ratio >= LIMIT else 'MISSED'}")
    return 0 if ratio >= LIMIT else 1


def row(name: str, rate: float, least: float, cpu: str = "") -> None:
    print(f"{name:26}{rate:10,.0f}{rate / least:10.2f}   {cpu}", flush=True)


# Operations, and what is done to them alone


def made(numbers: range) -> list[bytes]:
    return [one(TYPES[number % len(TYPES)], Life(f"life{number}")) for number in numbers]


def alone(
    pool: ProcessPoolExecutor, work: Callable[[Sequence[bytes]], object], requests: list[bytes], size: int
) -> float:
    """How many a second two processes do."""
    pieces = [requests[first : first + size] for first in range(0, len(requests), size)]
    list(pool.map(work, pieces[:CORES]))
    begun = perf_counter()
    list(pool.map(work, pieces))
    return len(requests) / (perf_counter() - begun)


def bound_of(requests: Sequence[bytes]) -> None:
    for request in requests:
        bound(request)


def chosen(requests: Sequence[bytes]) -> int:
    choice = choose([queued(request, SEAL) for request in requests], PROTOCOLS, NOW, address, seal=SEAL)
    assert choice.batch is not None
    return choice.batch.files.count


def queued(request: bytes, seal: Seal | None = None) -> Posted:
    """As it was posted: unchecked, or with the seal of the domain that has checked it."""
    said = parse(request)
    suffix = said.get("didSuffix") or encode(multihash(canonical(said["suffixData"])))
    operation = QueuedOperation(type=said["type"], operation_request=request, unique_suffix=suffix)
    return Posted(operation_id(request), seal.on(operation, closes=None) if seal else operation)


# The writer


def measured(requests: list[bytes], executors: int, least: float) -> float:
    """Operations a second to recorded files."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-writing-") as name, running(Path(name)) as domain:
        loop, parts = domain
        with (
            open_did_session("bench", f"local[{executors}]", progress=False) as spark,
            BatchWriter(parts, loop.wait) as writer,
        ):
            supervisor = Supervisor(
                Pipelines([writer.pipeline]), Path(name, "pipelines"), spark, clock=SystemClock()
            )
            thread = threading.Thread(target=supervisor.run)
            thread.start()
            # Workers are started and warm, each of them.
            for warm in range(3):
                first = made(range(-100 * (warm + 1), -100 * warm))
                anchor(parts, first)
                fill(loop, parts, first, hold=False, checked=True)
                wait_until_all(parts, ACKED)
            anchor(parts, requests)
            fill(loop, parts, requests, hold=True, checked=True)
            before, begun = cpu(), perf_counter()
            loop.call(parts.operation_queue.release, list(suffixes(requests)))
            wait_until_all(parts, "recorded")
            recorded = perf_counter() - begun
            wait_until_all(parts, ACKED)
            acked = perf_counter() - begun
            spent = {kind: (after - before[kind]) / len(requests) * 1e6 for kind, after in cpu().items()}
            supervisor.stop()
            thread.join()
    told = ", ".join(f"{kind} {value:.0f}" for kind, value in spent.items())
    row(f"recorded, executors: {executors}", len(requests) / recorded, least, told)
    row("  anchored and acked", len(requests) / acked, least)
    return len(requests) / recorded


@contextlib.contextmanager
def running(folder: Path, base: str = "https://orb.example") -> Iterator[tuple[LoopThread, Domain]]:
    broker = penstock.start(folder)
    make_key(folder / "key.pem")
    places = Places(
        base=base,
        database=f"sqlite:///{folder}/domain.db",
        storage=str(folder / "cas"),
        broker=broker.url,
        key=str(folder / "key.pem"),
        parameters=DidParameters(batch_writer_timeout=500),
    )
    loop = LoopThread("domain")
    domain = Domain(places, roles=[WRITER])
    loop.wait(domain.__aenter__())
    try:
        yield loop, domain
    finally:
        loop.wait(domain.__aexit__(None, None, None))
        loop.end()
        broker.end()


def anchor(domain: Domain, requests: Sequence[bytes]) -> None:
    """Have the DIDs that are changed be anchored, by the look of it."""
    batch = [queued(request) for request in requests]
    link = HashLink.to(resource_hash(b"an anchor"), ["https://orb.example/cas/x"])
    changed = [
        Anchored(
            type="create",
            suffix=each.operation.unique_suffix,
            request=b"{}",
            time=1,
            reference=link.hash,
            equivalents=(str(link),),
        )
        for each in batch
        if each.operation.type != "create"
    ]
    domain.database.do(put_observed, link, 1.0, issued_at=1.0, stored=len(changed))
    domain.database.do(add_operations, changed)


def fill(loop: LoopThread, domain: Domain, requests: Sequence[bytes], *, hold: bool, checked: bool) -> None:
    """Let operations wait in the queue, as the domain's HTTP has left them there, or as others may."""
    seal = Seal(domain.identity.key) if checked else None
    batch = [queued(request, seal) for request in requests]
    nothing: Any = None

    async def take() -> None:
        queue = domain.operation_queue
        if hold:
            queue.hold(suffixes(requests))
        for first in range(0, len(batch), 1000):
            taken = [Delivered(each, nothing) for each in batch[first : first + 1000]]
            await queue._running.intake.take(taken)  # noqa: SLF001  as if they had come from the broker

    loop.wait(take())


def suffixes(requests: Sequence[bytes]) -> Iterator[str]:
    return (queued(request).operation.unique_suffix for request in requests)


def wait_until_all(domain: Domain, state: str) -> None:
    """Until nothing waits, and all cuts are in that state, or beyond being without files."""

    def is_so(connection: sa.Connection) -> bool:
        states = set(connection.scalars(sa.select(cuts.c.state)))
        return bool(states) and (CUT not in states if state == "recorded" else states == {state})

    while len(domain.operation_queue) or not domain.database.read(is_so):
        time.sleep(0.05)


# What processes use


def cpu() -> dict[str, float]:
    """Seconds of this process, of Spark's Java, and of the Pythons that Java has started, so far."""
    pids = [int(entry.name) for entry in Path("/proc").glob("[0-9]*")]
    known = {pid: used for pid in pids if (used := Used.of(pid))}
    found = {"driver": known[os.getpid()].own, "Java": 0.0, "workers": 0.0}
    for pid, used in known.items():
        if used.name == "java" and used.parent == os.getpid():
            found["Java"] += used.own
            found["workers"] += used.of_the_dead
        elif is_javas(pid, known):
            found["workers"] += used.own + used.of_the_dead
    return found


@dataclass(frozen=True, slots=True)
class Used:
    """What a process has used, in seconds."""

    name: str
    parent: int
    own: float
    #: Of its children that have ended: an idle worker does.
    of_the_dead: float

    @classmethod
    def of(cls, pid: int) -> Used | None:
        try:
            name, _, rest = Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            return None
        fields = rest.split()
        user, system, dead_user, dead_system = (int(field) / TICKS for field in fields[11:15])
        return cls(name, int(fields[1]), user + system, dead_user + dead_system)


def is_javas(pid: int, known: dict[int, Used]) -> bool:
    """Whether it was started by our Java, or by who was."""
    while (used := known.get(pid)) is not None and used.parent != os.getpid():
        pid = used.parent
    return used is not None and used.name == "java"


if __name__ == "__main__":
    sys.exit(main())
