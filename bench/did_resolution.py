"""Resolution: how long a domain takes to resolve one DID over HTTP, with a million operations stored.

    python bench/did_resolution.py [--quick] [sqlite|postgresql]

Five hundred DIDs have real lives (create, two updates, a recover, an update; ES256, verified when observed)
and stand among as many others as make up the rest, whose rows are as large and whose requests nobody reads.
One client asks for one DID after another on one connection, in an order of chance; then fifty ask at once.
"""

from __future__ import annotations

import argparse
import http.client
import os
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import perf_counter
from typing import TYPE_CHECKING, Final

from penstock.did.operations import add_operations
from penstock.did.operations.tables import look_over
from penstock.sidetree import requests
from penstock.sidetree.anchored import Anchored
from penstock.sidetree.base64url import encode
from penstock.sidetree.canonical import canonical
from penstock.sidetree.multihash import hashed, multihash
from penstock.sidetree.signing import SigningKey

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from bench.databases import DATABASES
from bench.did_parts import ORIGIN, served

if TYPE_CHECKING:
    import contextlib
    from collections.abc import Iterator

    from penstock.did.database import DomainDatabase

STORED: Final = 1_000_000
QUICK: Final = 50_000
LIVES: Final = 500
QUESTIONS: Final = 3_000
CLIENTS: Final = 50
#: Rows that are written in one transaction.
BATCH: Final = 10_000
#: Bytes of a request, and milliseconds that a resolution may take at the median.
SIZE: Final = 900
WANTED_MS: Final = 20.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/did_resolution.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer operations")
    parser.add_argument("database", nargs="?", choices=[*DATABASES], help="only this")
    options = parser.parse_args()
    count = QUICK if options.quick else STORED
    print(f"{count:,} operations stored; milliseconds of a resolution over HTTP")
    print(f"{'':12}{'median':>8}{'99 %':>8}{'wanted':>8}{'':8}{f'{CLIENTS} at once, a second':>24}")
    verdicts = []
    for name, opening in DATABASES.items():
        if options.database in {None, name}:
            with tempfile.TemporaryDirectory(prefix="penstock-bench-resolution-") as folder:
                verdicts.append(measured(name, Path(folder), opening(Path(folder)), count))
    return 0 if all(verdicts) else 1


# What is stored


def lives() -> Iterator[list[Anchored]]:
    """The operations of DIDs that can be resolved."""
    for number in range(LIVES):
        updates = [SigningKey.made() for _ in range(5)]
        recoveries = [SigningKey.made() for _ in range(2)]
        made = requests.create(
            [service(number)],
            recovery_key=recoveries[0].public,
            update_key=updates[0].public,
            anchor_origin=ORIGIN,
        )
        suffix = hashed(made["suffixData"])
        later = [
            requests.update(suffix, [service(1)], key=updates[0], next_update_key=updates[1].public),
            requests.update(suffix, [service(2)], key=updates[1], next_update_key=updates[2].public),
            requests.recover(
                suffix,
                [service(3)],
                key=recoveries[0],
                next_recovery_key=recoveries[1].public,
                next_update_key=updates[3].public,
                anchor_origin=ORIGIN,
            ),
            requests.update(suffix, [service(4)], key=updates[3], next_update_key=updates[4].public),
        ]
        yield [
            stored(suffix, each["type"], canonical(each), time) for time, each in enumerate([made, *later], 1)
        ]


def service(number: int) -> dict[str, object]:
    entry = {"id": f"site{number}", "type": "LinkedDomains", "serviceEndpoint": "https://example.com"}
    return {"action": "add-services", "services": [entry]}


def others() -> Iterator[Anchored]:
    """Rows of DIDs that nobody asks for, three of each."""
    while True:
        name, request = os.urandom(32), os.urandom(SIZE)
        suffix = encode(multihash(name))
        for time, kind in enumerate(("create", "update", "update"), 1):
            yield stored(suffix, kind, request, time)


def stored(suffix: str, kind: str, request: bytes, time: int) -> Anchored:
    return Anchored(
        type=kind,
        suffix=suffix,
        request=request,
        time=1_700_000_000 + time,
        reference=f"uEiAnchor{time}",
        anchor_origin=ORIGIN,
        verified=True,
    )


def fill(database: DomainDatabase, count: int) -> list[str]:
    """Store so many operations, and return the suffixes of those DIDs that can be resolved."""
    real, strangers, suffixes = lives(), others(), []
    batches = max(count // BATCH, 1)
    for _ in range(batches):
        # The real ones are spread over all that is written.
        mine = [each for life in islice(real, -(-LIVES // batches)) for each in life]
        suffixes += dict.fromkeys(each.suffix for each in mine)
        database.do(add_operations, [*mine, *islice(strangers, BATCH - len(mine))])
    database.do(look_over)
    return suffixes


# Asking


def measured(name: str, folder: Path, opened: contextlib.AbstractContextManager[str], count: int) -> bool:
    with opened as url, served(folder, url) as domain:
        suffixes = fill(domain.database, count)
        chosen = Random(1).choices(suffixes, k=QUESTIONS)
        ask(domain.port, suffixes[:50])
        took = sorted(ask(domain.port, chosen))
        with ThreadPoolExecutor(CLIENTS) as pool:
            begun = perf_counter()
            list(pool.map(lambda part: ask(domain.port, chosen[part::CLIENTS]), range(CLIENTS)))
            rate = QUESTIONS / (perf_counter() - begun)
    middle, last = median(took), quantiles(took, n=100)[-1]
    verdict = "ok" if middle <= WANTED_MS else "MISSED"
    print(f"{name:12}{middle:8.2f}{last:8.2f}{WANTED_MS:8.0f}  {verdict:6}{rate:24,.0f}")
    return middle <= WANTED_MS


def ask(port: int, suffixes: list[str]) -> list[float]:
    """Milliseconds that each took."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    took = []
    for suffix in suffixes:
        begun = perf_counter()
        connection.request("GET", f"/sidetree/v1/identifiers/did:orb:uAAA:{suffix}")
        answer = connection.getresponse()
        body = answer.read()
        took.append(1000 * (perf_counter() - begun))
        assert answer.status == 200, body  # noqa: PLR2004
        assert b"site4" in body
    connection.close()
    return took


if __name__ == "__main__":
    sys.exit(main())
