"""./run as a newcomer meets it: one command, a page to open, something that moves, and Ctrl-C."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.request
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parent.parent
#: Seconds for anything; the machine may be busy.
WITHIN = 240
GUEST = f"Basic {b64encode(b'guest:guest').decode()}"


class Newcomer:
    """Somebody who has typed ./run, and reads what it says."""

    def __init__(self, *arguments: str) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
        self.process = subprocess.Popen(  # noqa: S603  ours
            [ROOT / "run", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
            # As in a terminal: Ctrl-C is for all of a session's foreground.
            start_new_session=True,
        )
        self.said: list[str] = []
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self._lines.put(line.rstrip())
        self._lines.put(None)

    def read_until(self, begins: str) -> str:
        """Read on to the line that begins so."""
        until = time.monotonic() + WITHIN
        while True:
            line = self._lines.get(timeout=max(until - time.monotonic(), 0.01))
            assert line is not None, "\n".join(self.said)
            self.said.append(line)
            if line.startswith(begins):
                return line

    def interrupt(self) -> int:
        """Ctrl-C; with which code it ends."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(WITHIN)

    def leave(self) -> None:
        """Wait until it is gone, with all it says."""
        self.process.wait(WITHIN)
        self._reading.join(WITHIN)

    @property
    def panel(self) -> str:
        [line] = [each for each in self.said if each.startswith("penstock is ready: http://")]
        return line.split()[3]

    def ask(self, path: str) -> Any:
        request = urllib.request.Request(f"{self.panel}api/{path}", headers={"Authorization": GUEST})  # noqa: S310
        with urllib.request.urlopen(request, timeout=WITHIN) as answer:  # noqa: S310  our own panel
            return json.load(answer)


@contextlib.contextmanager
def arrived(*arguments: str) -> Iterator[Newcomer]:
    newcomer = Newcomer(*arguments)
    try:
        yield newcomer
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(newcomer.process.pid, signal.SIGKILL)
        newcomer.leave()


def until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + WITHIN
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def programs_with(folder: Path) -> list[str]:
    """Command lines of processes that have to do with a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if str(folder) in line and "pytest" not in line:
                found.append(line)
    return found


def gauges(database: Path) -> list[str]:
    with contextlib.closing(sqlite3.connect(database, timeout=WITHIN)) as connection:
        return [name for (name,) in connection.execute("SELECT gauge FROM gauges")]


def observed(newcomer: Newcomer) -> list[int]:
    """The batches of DID operations that were observed."""
    return [each["id"] for each in newcomer.ask("penstock/batches") if each["state"] == "observed"]


def test_everything_starts_works_and_stops_and_finds_its_data_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with arrived("--data", str(data), "--no-spark", "--no-did") as newcomer:
        newcomer.read_until("penstock is ready: http://")
        assert "(user guest, password guest)" in newcomer.said[-1]
        newcomer.read_until("everything is up")

        # Something moves: the waterworks' readings reach the queue that Spark would read.
        def levels() -> int:
            found = {each["name"]: each for each in newcomer.ask("queues/%2F")}
            return int(found.get("waterworks.levels", {}).get("messages", 0))

        until(lambda: levels() > 5)
        before = levels()

        # A second start says where the first one is.
        second = subprocess.run(  # noqa: S603  ours
            [ROOT / "run", "--data", str(data)], capture_output=True, text=True, check=False, timeout=WITHIN
        )
        assert second.returncode == 2
        assert f"penstock is up already with the data in {data}: {newcomer.panel}" in second.stderr

        assert newcomer.interrupt() == 0
        newcomer.read_until("stopped")
        assert not [line for line in newcomer.said if "Traceback" in line]
    assert programs_with(data) == []

    with arrived("--data", str(data), "--no-spark", "--no-did", "--no-sample") as again:
        again.read_until("penstock is ready")
        # Only the load is left out: the worker is there, and what the waterworks consumes it still would.
        again.read_until("everything is up")
        assert [line for line in again.said if line.startswith("worker is ready")]
        assert {each["name"]: each["consumers"] for each in again.ask("queues/%2F")}["bg_waterworks"]
        found = {each["name"]: each["messages"] for each in again.ask("queues/%2F")}
        assert found["waterworks.levels"] >= before
        assert again.interrupt() == 0


def test_with_spark_and_a_did_domain(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with arrived("--data", str(data)) as newcomer:
        newcomer.read_until("penstock is ready: http://")
        newcomer.read_until("Spark is ready after")
        newcomer.read_until("everything is up")
        # What the gauges say has come through the outbox, the broker and Spark into a table.
        until(lambda: gauges(data / "sample" / "waterworks.db"))
        # And the DIDs of the waterworks have gone round, and resolve; as the panel tells it.
        until(lambda: observed(newcomer))
        found = newcomer.ask(f"penstock/batches/{observed(newcomer)[0]}")["operations"]
        assert {each["outcome"] for each in found} == {"resolvable"}
        assert newcomer.ask(f"penstock/dids/{found[0]['suffix']}")["did"] == found[0]["did"]
        assert newcomer.interrupt() == 0
    assert programs_with(data) == []


def test_arguments_are_the_commands_own() -> None:
    told = subprocess.run(  # noqa: S603  ours
        [ROOT / "run", "version", "--json"], capture_output=True, text=True, check=True, timeout=WITHIN
    )
    assert "penstock" in json.loads(told.stdout)


def test_help_lists_everything_that_can_be_run_and_starts_nothing() -> None:
    told = subprocess.run(  # noqa: S603  ours
        [ROOT / "run", "--help"], capture_output=True, text=True, check=True, timeout=WITHIN
    )
    assert "Usage: penstock" in told.stdout
    for command in ("up", "broker", "worker", "queues", "dead-letters", "pipelines", "did"):
        assert re.search(rf"^│ {command} ", told.stdout, re.MULTILINE), command
    assert "penstock is ready" not in told.stdout
    own = subprocess.run(  # noqa: S603  ours
        [ROOT / "run", "up", "--help"], capture_output=True, text=True, check=True, timeout=WITHIN
    )
    assert "--no-sample" in own.stdout
