"""What the panel costs the broker that it shows, and how soon it shows it.

    python bench/panel.py [--quick]

A broker with 1,000 queues, through one of which transient messages of 100 bytes flow as fast as they can,
with nobody before the panel and with a page open, round by round. The page is its live socket: what the
overview and the list of queues watch, answered as the page does; a browser on the same two cores would take
what it costs itself from the load, and that is not the panel. First paint is Chromium's own figure, while
messages flow. Peeks are at position 1,000,000 of a durable queue.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import http.client
import json
import multiprocessing
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent / "broker"))
import amqp
from crew import run_together
from load import consuming, producing
from ours import start_penstock
from peers import Peer, ended, free_port, wait_ready

from tests.servers import chromium
from tests.servers.programs import PROGRAMS, obtain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.sharedctypes import Synchronized

QUEUES: Final = 1_000
FLOWING: Final = "bench.flow"
DEEP: Final = "bench.deep"
POSITION: Final = 1_000_000
#: Messages of a round; rounds, of which the first warms up.
COUNT, QUICK_COUNT = 2_000_000, 600_000
ROUNDS, QUICK_ROUNDS = 7, 4
PAINTS: Final = 5
PEEKS: Final = 20
SECRET: Final = "Basic " + base64.b64encode(b"guest:guest").decode()
#: What an open page watches, and how often: the overview, and a list of queues.
WATCHED: Final = {
    "/api/overview": 1,
    "/api/queues?page=1&page_size=50&sort=messages&sort_reverse=true": 1,
    "/api/queues?page=1&page_size=1&sort=oldest_age&sort_reverse=true&columns=oldest_age": 3,
    "/api/nodes": 5,
}

#: Must reach.
FLOW: Final = 200_000
MOST_LOST: Final = 0.05
PAINTED_IN: Final = 1.0
PEEKED_IN: Final = 0.1
UPDATES: Final = 0.9


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/panel.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer messages and rounds")
    quick = parser.parse_args().quick
    panel = free_port()
    with ended(start_penstock("--panel", f"127.0.0.1:{panel}")) as peer:
        wait_ready(peer)
        declare_all(peer.port)
        rates, updates = flows(
            peer, panel, QUICK_COUNT if quick else COUNT, QUICK_ROUNDS if quick else ROUNDS
        )
        painted = paints(peer, panel)
        peeked = peeks(peer.port, panel)
    return verdict(rates, updates, painted, peeked)


def verdict(rates: dict[bool, float], updates: float, painted: float, peeked: float) -> int:
    lost = 1 - rates[True] / rates[False]
    rows = [
        ("messages a second, nobody watches", f"{rates[False]:,.0f}", f"≥ {FLOW:,}", rates[False] >= FLOW),
        ("messages a second, a page is open", f"{rates[True]:,.0f}", "", True),
        ("lost by it", f"{lost:.1%}", f"≤ {MOST_LOST:.0%}", lost <= MOST_LOST),
        ("updates a second, meanwhile", f"{updates:.2f}", f"≥ {UPDATES}", updates >= UPDATES),
        ("first paint, meanwhile", f"{painted * 1000:.0f} ms", f"≤ {PAINTED_IN:g} s", painted <= PAINTED_IN),
        (
            f"peek at {POSITION:,}",
            f"{peeked * 1000:.1f} ms",
            f"≤ {PEEKED_IN * 1000:g} ms",
            peeked <= PEEKED_IN,
        ),
    ]
    print(f"{QUEUES:,} queues, medians")
    for name, figure, limit, is_kept in rows:
        print(f"  {name:36}{figure:>12}   {limit:10}{'' if is_kept else '  MISSED'}")
    return 0 if all(is_kept for *_, is_kept in rows) else 1


def declare_all(port: int) -> None:
    with amqp.connect_channel(port) as control:
        for number in range(QUEUES):
            amqp.declare(control, f"bench.queue.{number:04}", durable=True)
        for number in range(0, QUEUES, 10):
            control.sendall(amqp.message(f"bench.queue.{number:04}", bytes(100)) * (number % 70 + 1))


# What it costs


def flows(peer: Peer, panel: int, count: int, rounds: int) -> tuple[dict[bool, float], float]:
    """Messages a second without and with a page; and how many updates a second the page had."""
    rates: dict[bool, list[float]] = {False: [], True: []}
    updates = []
    for number in range(rounds):
        for is_watched in (False, True) if number % 2 else (True, False):
            if not is_watched:
                rates[False].append(flow(peer, count))
                continue
            with watching(panel) as seen:
                before, begun = seen.value, perf_counter()
                rates[True].append(flow(peer, count))
                updates.append((seen.value - before) / (perf_counter() - begun))
    return {key: median(found[1:]) for key, found in rates.items()}, median(updates[1:])


def flow(peer: Peer, count: int) -> float:
    with amqp.connect_channel(peer.port) as control:
        amqp.declare(control, FLOWING)
        (begun, _), (_, consumed) = run_together(
            producing(peer.port, amqp.message(FLOWING, bytes(100)), count),
            consuming(peer.port, [FLOWING], count),
        )
        amqp.delete(control, FLOWING)
    return count / (consumed - begun)


@contextlib.contextmanager
def watching(panel: int) -> Iterator[Synchronized[int]]:
    """A page's socket in a process of its own; how many rounds it has seen."""
    context = multiprocessing.get_context("fork")
    seen = context.Value("i", 0)
    page = context.Process(target=watch, args=(panel, seen), daemon=True)
    page.start()
    try:
        yield seen
    finally:
        page.kill()
        page.join()


def watch(panel: int, seen: Any) -> None:
    headers = {"Authorization": SECRET}
    with (
        contextlib.suppress(ConnectionClosed),
        connect(f"ws://127.0.0.1:{panel}/live", additional_headers=headers, max_size=None) as page,
    ):
        page.send(json.dumps({"watch": WATCHED}))
        while True:
            told = json.loads(page.recv())
            page.send(json.dumps({"seen": told["round"]}))
            seen.value += 1


# How soon


def paints(peer: Peer, panel: int) -> float:
    """Seconds to the first paint of the list of queues while messages flow."""
    context = multiprocessing.get_context("fork")
    load = context.Process(target=flow_on, args=(peer,))
    with (
        tempfile.TemporaryDirectory(prefix="penstock-bench-panel-") as folder,
        chromium.running(obtain(PROGRAMS["chromium"], notes=Path(folder)), Path(folder)) as browser,
    ):
        log_in(browser, panel)
        load.start()
        try:
            return median(first_paint(browser, panel) for _ in range(PAINTS))
        finally:
            load.terminate()
            load.join()


def flow_on(peer: Peer) -> None:
    while True:
        flow(peer, QUICK_COUNT)


def log_in(browser: chromium.Browser, panel: int) -> None:
    with browser.tab() as tab:
        tab.go(f"http://127.0.0.1:{panel}/login")
        tab.fill("username", "guest")
        tab.fill("password", "guest")
        tab.click("Log in")
        tab.see("Overview", "h1")


def first_paint(browser: chromium.Browser, panel: int) -> float:
    with browser.tab() as tab:
        tab.go(f"http://127.0.0.1:{panel}/queues")
        painted = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
        return float(tab.wait(painted)) / 1000


def peeks(port: int, panel: int) -> float:
    """Seconds that a look deep into a queue takes."""
    message, count = amqp.message(DEEP, bytes(100), mode=2), POSITION + 100
    with amqp.connect_channel(port) as control:
        amqp.declare(control, DEEP, durable=True)
        run_together(producing(port, message, count, 1000))
    path = f"/api/penstock/queues/%2F/{DEEP}/peek?position={POSITION}&count=10"
    found = []
    for _ in range(PEEKS):
        begun = perf_counter()
        told = ask(panel, path)
        found.append(perf_counter() - begun)
        assert told, told
    return median(found)


def ask(panel: int, path: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", panel, timeout=60)
    try:
        connection.request("GET", path, headers={"Authorization": SECRET})
        answer = connection.getresponse()
        told = answer.read()
        assert answer.status == http.HTTPStatus.OK, told
        return json.loads(told)
    finally:
        connection.close()


if __name__ == "__main__":
    sys.exit(main())
