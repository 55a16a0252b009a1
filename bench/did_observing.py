"""Replaying anchors on Spark, against the least that must be done for their operations.

    python bench/did_observing.py [--quick] [sqlite|postgresql]

A mix of 100,000 operations (60 % create, 30 % update, 5 % recover, 5 % deactivate, ES256) in ten batches with
real files, linksets and proofs. The DIDs that are changed were created in batches before, whose replay warms
Spark up. Measured is the replay of the ten from the node's own storage: read, check, parse, verify each
signature once, store.

The bound is to parse, canonicalise, hash and verify the same operations once, by the same functions, alone in
two processes. A replay must reach 0.7 of it, and two executors 1.7 times what one does.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.databases import DATABASES
from bench.sidetree import bound
from penstock.did.anchoring import AnchorInfo
from penstock.did.domain.places import Places
from penstock.pipelines.did.replay import Replay
from penstock.pipelines.did.session import open_did_session
from tests.did.observing.served import Served, new_places, served
from tests.sidetree.lives import NOW, Life

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPERATIONS: Final = 100_000
QUICK_OPERATIONS: Final = 10_000
BATCHES: Final = 10
#: Of twenty operations.
MIX: Final = ("create",) * 12 + ("update",) * 6 + ("recover", "deactivate")
CORES: Final = 2
#: What is measured in each round, in turns; medians count.
BOUND: Final = "the bound, two processes"
EXECUTORS: Final = {"replay, 2 executors": CORES, "replay, 1 executor": 1}
ROUNDS: Final = 3
OF_BOUND: Final = 0.7
SPEED_UP: Final = 1.7


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/did_observing.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the operations")
    parser.add_argument("--cores", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("database", nargs="?", choices=list(DATABASES), default="sqlite")
    options = parser.parse_args()
    if options.work is not None:
        return replay(options.work, options.cores)
    return measure(QUICK_OPERATIONS if options.quick else OPERATIONS, options.database)


def measure(count: int, database: str) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="penstock-bench-observing-") as name,
        contextlib.ExitStack() as stack,
    ):
        folder = Path(name)
        author = stack.enter_context(served(folder / "contents"))
        print(f"{count:,} operations in {BATCHES} batches, {database}")
        requests, anchors = anchored(author, count)
        taken: dict[str, list[float]] = {name: [] for name in (BOUND, *EXECUTORS)}
        for _ in range(ROUNDS):
            taken[BOUND].append(seconds_of_bound(requests))
            for who, cores in EXECUTORS.items():
                with DATABASES[database](folder) as url:
                    taken[who].append(replayed(folder, cores, url, anchors))
                (folder / "domain.db").unlink(missing_ok=True)
    for who, seconds in taken.items():
        row(who, count, seconds)
    least, two, one = (median(seconds) for seconds in taken.values())
    return verdict(least / two, one / two)


def row(name: str, count: int, times: Sequence[float]) -> None:
    seconds = median(times)
    each = ", ".join(f"{time:.2f}" for time in times)
    rate, cost = count / seconds, seconds / count * 1e6
    print(f"  {name:<28}{seconds:8.2f} s {rate:10,.0f} /s   {cost:6.1f} µs   ({each})")


def verdict(of_bound: float, speed_up: float) -> int:
    fine = of_bound >= OF_BOUND and speed_up >= SPEED_UP
    print(
        f"{of_bound:.2f} ≥ {OF_BOUND} of the bound, two executors {speed_up:.2f} ≥ {SPEED_UP} times one",
        end="  ",
    )
    print("ok" if fine else "MISSED")
    return 0 if fine else 1


# Operations


def anchored(author: Served, count: int) -> tuple[list[bytes], dict[str, list[str]]]:
    """Anchor the mix; the requests, and hashlinks of the anchors before, and of those to measure."""
    with multiprocessing.get_context("fork").Pool(CORES) as pool:
        made = pool.map(requests_of, range(count), chunksize=250)
    size = count // BATCHES
    before = [creation for creation, change in made if change]
    mixed = [change or creation for creation, change in made]
    anchors = {
        "before": [str(author.anchor(*batch, at=NOW)) for batch in pieces(before, size)],
        "measured": [str(author.anchor(*batch, at=NOW + 1)) for batch in pieces(mixed, size)],
    }
    return mixed, anchors


def requests_of(number: int) -> tuple[bytes, bytes]:
    """A DID's create, and what becomes of it afterwards, if anything does."""
    life = Life(f"life{number}")
    creation = life.create()
    verb = MIX[number % len(MIX)]
    return creation, b"" if verb == "create" else getattr(life, verb)()


def pieces(requests: Sequence[bytes], size: int) -> Iterator[Sequence[bytes]]:
    return (requests[start : start + size] for start in range(0, len(requests), size))


def seconds_of_bound(requests: Sequence[bytes]) -> float:
    halves = [requests[start::CORES] for start in range(CORES)]
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=all_bounds, args=(half,)) for half in halves]
    begun = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.perf_counter() - begun


def all_bounds(requests: Sequence[bytes]) -> None:
    for request in requests:
        bound(request)


# The replay


def replayed(folder: Path, cores: int, database: str, anchors: dict[str, list[str]]) -> float:
    """Seconds of a replay on so many cores, in a process of its own: a session is a process's for good."""
    places = new_places(folder, database)
    work = folder / "work.json"
    work.write_text(json.dumps({"places": places.to_json(), **anchors}))
    command = [sys.executable, __file__, "--work", str(work), "--cores", str(cores)]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return float(found.stdout)


def replay(work: Path, cores: int) -> int:
    told: dict[str, Any] = json.loads(work.read_text())
    with open_did_session("bench", f"local[{cores}]", progress=False) as spark:
        node = Replay(spark, Places.from_json(told["places"]))
        for name in ("before", "measured"):
            anchors = [AnchorInfo(hash_link=link) for link in told[name]]
            begun = time.perf_counter()
            done = node.run(anchors)
            seconds = time.perf_counter() - begun
            assert done.observed == len(anchors), done.failed
        node.close()
    print(seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
