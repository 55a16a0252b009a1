"""The beanstalk front beside Debian's beanstalkd, and a million delayed jobs.

    python bench/beanstalk.py [--quick] [transient|durable|delayed …]

transient: put → reserve → delete of jobs of 100 bytes, a hundred of each in one write, without binlog and
without a data folder. durable: the same, but what is said is on disk before it is said (beanstalkd -f 0).
The two take turns, round by round; the first round is dropped and the median of the others counts.
delayed: a million jobs wait for tomorrow, five thousand a second are added that are due two seconds later,
and a worker reserves and deletes them: how late they reach it, two seconds after they were sent.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import struct
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tests.servers import beanstalkd
from tests.servers.programs import PROGRAMS, obtain
from tests.servers.running import HOST, Process, Running, free_port, launch, wait_until_it_is_ready

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Where both keep their files: a disk, not memory.
DISK: Final = "/var/tmp"  # noqa: S108 (a folder of our own is made in it)
AT_ONCE: Final = 100
BODY: Final = b"x" * 100
ROUNDS: Final = 7
#: Ours divided by beanstalkd's, at least.
LIMITS: Final = {"transient": 1.2, "durable": 1.5}
#: Jobs of a round, usually and in a quick run.
JOBS: Final = {"transient": (60_000, 20_000), "durable": (4_000, 1_000)}
#: Of the delayed: how many wait, and for how many seconds others are added.
WAITING: Final = (1_000_000, 100_000)
ADDED_FOR: Final = (20, 5)
A_SECOND: Final = 5_000
DUE_IN: Final = 2
#: Seconds they may be late at the median.
LATE_MOST: Final = 0.010
RESERVED: Final = re.compile(rb"RESERVED (\d+) ")
STAMP: Final = struct.Struct(">d")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench/beanstalk.py", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer jobs and rounds")
    parser.add_argument("rows", nargs="*", choices=[*LIMITS, "delayed", []], help="all if none is named")
    options = parser.parse_args()
    rows = options.rows or [*LIMITS, "delayed"]
    kept = [beside(row, quick=options.quick) for row in rows if row in LIMITS]
    if "delayed" in rows:
        kept.append(delayed(quick=options.quick))
    return 0 if all(kept) else 1


# Servers


@contextmanager
def servers(row: str) -> Iterator[dict[str, Running]]:
    """Both, with what the row asks for."""
    with tempfile.TemporaryDirectory(prefix="penstock-bench-", dir=DISK) as name:
        folder = Path(name)
        binlog = folder / "binlog"
        binlog.mkdir()
        theirs = ["-b", str(binlog), "-f", "0"] if row == "durable" else []
        ours = ["--data", str(folder / "data")] if row == "durable" else []
        program = obtain(PROGRAMS["beanstalkd"], notes=folder)
        running = {"beanstalkd": beanstalkd.start(program, folder, *theirs), "Penstock": start(folder, *ours)}
        try:
            yield running
        finally:
            for each in running.values():
                each.end()


def start(folder: Path, *arguments: str) -> Running:
    """Our broker, with the beanstalk front."""
    port, log = free_port(), folder / "penstock.log"
    command = [sys.executable, "-m", "penstock", "broker", "--amqp", f"{HOST}:0", "--log-level", "error"]
    child = launch(
        [*command, "--beanstalk", f"{HOST}:{port}", *arguments],
        folder=folder,
        environment=os.environ,
        log=log,
    )
    wait_until_it_is_ready(child=child, log=log)
    return Running(name="Penstock", port=port, processes=(Process.of(child),))


# Clients


class Line:
    """A socket that counts what it hears."""

    def __init__(self, server: Running) -> None:
        self._socket = socket.create_connection((server.host, server.port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def hear(self, size: Callable[[bytes], bool]) -> bytes:
        """What comes until it is enough."""
        heard = self._socket.recv(1 << 18)
        while not size(heard):
            heard += self._socket.recv(1 << 18)
        return heard

    def close(self) -> None:
        self._socket.close()


def lines(count: int) -> Callable[[bytes], bool]:
    return lambda heard: heard.count(b"\r\n") >= count


def lives(server: Running, jobs: int) -> float:
    """Jobs a second, from put to delete."""
    line = Line(server)
    puts = (b"put 0 0 60 %d\r\n%b\r\n" % (len(BODY), BODY)) * AT_ONCE
    reserves = b"reserve\r\n" * AT_ONCE
    begun = time.perf_counter()
    for _ in range(jobs // AT_ONCE):
        line.send(puts)
        line.hear(lines(AT_ONCE))
        line.send(reserves)
        numbers = RESERVED.findall(line.hear(lines(2 * AT_ONCE)))
        line.send(b"delete " + b"\r\ndelete ".join(numbers) + b"\r\n")
        line.hear(lines(AT_ONCE))
    seconds = time.perf_counter() - begun
    line.close()
    return jobs / seconds


def beside(row: str, *, quick: bool) -> bool:
    """Ours and theirs in turn; whether the limit is kept."""
    rates: dict[str, list[float]] = {"beanstalkd": [], "Penstock": []}
    with servers(row) as running:
        for _ in range(3 if quick else ROUNDS):
            for name, found in rates.items():
                found.append(lives(running[name], JOBS[row][quick]))
    theirs, ours = (median(found[1:]) for found in rates.values())
    ratio, limit = ours / theirs, LIMITS[row]
    print(
        f"{row:10} beanstalkd {theirs:9,.0f}/s   Penstock {ours:9,.0f}/s   ratio {ratio:6.2f} ≥ {limit}",
        "ok" if ratio >= limit else "MISSED",
        flush=True,
    )
    return ratio >= limit


# A million delayed jobs


def delayed(*, quick: bool) -> bool:
    """How late due jobs leave while others are added; whether the limit is kept."""
    waiting, seconds = WAITING[quick], ADDED_FOR[quick]
    with tempfile.TemporaryDirectory(prefix="penstock-bench-", dir=DISK) as name:
        server = start(Path(name))
        try:
            fill(server, waiting)
            late = follow(server, seconds)
        finally:
            server.end()
    middle, slow = median(late), sorted(late)[int(0.99 * len(late))]
    print(
        f"delayed    {waiting:,} wait, {len(late):,} came: {1e3 * middle:.1f} ms late at the median "
        f"≤ {1e3 * LATE_MOST:.0f}, {1e3 * slow:.1f} at 99 %",
        "ok" if middle <= LATE_MOST else "MISSED",
        flush=True,
    )
    return middle <= LATE_MOST


def fill(server: Running, count: int) -> None:
    """Jobs that are due tomorrow, each at its own second."""
    line = Line(server)
    for first in range(0, count, 1000):
        puts = (b"put 0 %d 60 8\r\n%08d\r\n" % (86_400 + at % 3600, at) for at in range(first, first + 1000))
        line.send(b"".join(puts))
        line.hear(lines(1000))
    line.close()


def follow(server: Running, seconds: int) -> list[float]:
    """Add jobs at an even pace, and see when they come back."""
    count = A_SECOND * seconds
    late: list[float] = []
    worker = threading.Thread(target=work, args=(server, count, late))
    worker.start()
    line = Line(server)
    step = A_SECOND // 100
    begun = time.time()
    for number in range(count // step):
        time.sleep(max(begun + number / 100 - time.time(), 0))
        line.send((b"put 0 %d 60 8\r\n%b\r\n" % (DUE_IN, STAMP.pack(time.time()))) * step)
        line.hear(lines(step))
    worker.join()
    line.close()
    return late


def work(server: Running, count: int, late: list[float]) -> None:
    """Reserve and delete so many, and note how late each was."""
    line = Line(server)
    rest = b""
    line.send(b"reserve\r\n" * AT_ONCE)
    while len(late) < count:
        rest += line.hear(bool)
        now = time.time()
        done: list[bytes] = []
        # Bodies may hold any byte: what is read is cut by its lengths.
        while (end := rest.find(b"\r\n")) >= 0:
            words = rest[:end].split()
            if words[0] == b"RESERVED":
                if len(rest) < end + 12:
                    break
                late.append(now - DUE_IN - STAMP.unpack_from(rest, end + 2)[0])
                done.append(words[1])
                end += 10
            rest = rest[end + 2 :]
        line.send(b"".join(b"delete %b\r\n" % number for number in done) + b"reserve\r\n" * len(done))
    line.close()


if __name__ == "__main__":
    sys.exit(main())
