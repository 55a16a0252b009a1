"""A federation of real processes: `penstock did up`, its domains over HTTP, and its processes to kill."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from penstock.did.domain import Places
from penstock.did.domain.parts import open_database
from penstock.did.operations.history import operations_between
from penstock.messaging.opening import open_broker
from tests.did.kept_operations import FIRST_KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Self

    from penstock.sidetree.anchored import Anchored

#: Seconds that anything here may take on a busy machine.
PATIENCE_S = 600.0

#: Parameters of domains that have no time: whatever waits, waits a moment.
HASTY = {
    "BATCH_WRITER_TIMEOUT": "300",
    "TASK_MANAGER_CHECK_INTERVAL": "1s",
    "OP_QUEUE_TASK_MONITOR_INTERVAL": "1s",
    "OP_QUEUE_TASK_EXPIRATION": "3s",
    "OP_QUEUE_REPOST_INITIAL_DELAY": "200ms",
    "OP_QUEUE_REPOST_MAX_DELAY": "2s",
    "OP_QUEUE_MAX_REPOSTS": "1000",
    "MQ_REDELIVERY_INITIAL_INTERVAL": "200ms",
    "MQ_REDELIVERY_MAX_INTERVAL": "2s",
    "MQ_REDELIVERY_MAX_ATTEMPTS": "1000",
    "ANCHOR_STATUS_MONITORING_INTERVAL": "1s",
    "ANCHOR_STATUS_IN_PROCESS_GRACE_PERIOD": "3s",
    "WITNESS_POLICY_CACHE_EXPIRATION": "1s",
}


class Town:
    """Domains that know each other. `with Town(folder, domains=3) as town:` starts and stops them."""

    def __init__(
        self,
        folder: Path,
        *arguments: str,
        domains: int = 3,
        parameters: Mapping[str, str] | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.data = folder / "data"
        self.output = folder / "up.log"
        self.bases: list[str] = []
        self._arguments = [f"--domains={domains}", f"--data={self.data}", *arguments]
        self._parameters = {**HASTY, **(parameters or {})}
        self._patience_s = patience_s
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # Lives of the command

    def start(self, *more: str) -> None:
        """Start it, perhaps with more arguments, and wait until its domains answer."""
        with self.output.open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603  the arguments are ours
                [sys.executable, "-m", "penstock", "did", "up", *self._arguments, *more],
                env=os.environ | self._parameters,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.until(lambda: "penstock is ready:" in self.said)
        line = next(line for line in self.said.splitlines() if line.startswith("penstock is ready:"))
        self.bases = line.split()[3:]

    def wait_for_spark(self) -> None:
        self.until(lambda: "Spark is ready" in self.said)

    def stop(self, number: int = signal.SIGINT) -> int:
        """Ask it to stop as Ctrl-C does, and wait until nothing of it is left; its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        children = self._descendants(process.pid)
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)
        try:
            code = process.wait(PATIENCE_S)
            self.until(lambda: not any(_is_alive(pid) for pid in children))
        finally:
            for pid in (process.pid, *children):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        return code

    @property
    def said(self) -> str:
        """What it has told so far."""
        return self.output.read_text(errors="replace")

    def until(self, condition: Callable[[], object]) -> None:
        """Wait until something is so; fails with what was said if it never is."""
        deadline = time.monotonic() + self._patience_s
        while not condition():
            if self._process is not None and self._process.poll() is not None:
                raise AssertionError(
                    f"it has ended with {self._process.returncode}: {self.said}{self.logs()}"
                )
            if time.monotonic() > deadline:
                raise AssertionError(f"it did not come to that: {self.said}{self.logs()}")
            time.sleep(0.1)

    def logs(self) -> str:
        """The end of each process's log."""
        files = sorted((self.data / "logs").glob("*.log"))
        return "".join(f"\n--- {file.stem}\n{file.read_text(errors='replace')[-1500:]}" for file in files)

    # Processes

    def pid(self, name: str) -> int | None:
        """The process of that name: broker, orb, orb2, pipelines; None while there is none."""
        assert self._process is not None
        pattern = re.compile(rf"did run \w+ {re.escape(name)}$")
        found = [pid for pid in _children(self._process.pid) if pattern.search(_command(pid))]
        return found[0] if found else None

    def workers(self) -> list[int]:
        """The Python processes of Spark's executors that are at work, or wait for some."""
        driver = self.pid("pipelines")
        below = [] if driver is None else self._descendants(driver)
        return [pid for pid in below if _command(pid).endswith("pyspark.worker")]

    def kill(self, name: str) -> bool:
        """`kill -9` of a process, or of one of the executors'; whether there was one."""
        pid = next(iter(self.workers()), None) if name == "executor" else self.pid(name)
        return pid is not None and _kill(pid)

    def _descendants(self, pid: int) -> list[int]:
        children = _children(pid)
        return [*children, *(each for child in children for each in self._descendants(child))]

    # Domains

    def ask(self, base: str, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        """Ask a domain, again and again until it answers with something else than that it cannot now."""
        return self._asked(base, method, path, body)[:2]

    def _asked(self, base: str, method: str, path: str, body: bytes) -> tuple[int, bytes, int]:
        answers: list[tuple[int, bytes]] = []

        def is_answered() -> bool:
            answers.append((503, b"nobody answers"))
            with suppress(OSError, http.client.HTTPException):
                answers[-1] = _ask(base, method, path, body)
            return answers[-1][0] < 500

        self.until(is_answered)
        return *answers[-1], len(answers)

    def post(self, base: str, operation: bytes) -> None:
        """Have an operation accepted. Who got no answer posts it again, and may hear that it is done."""
        status, body, tries = self._asked(base, "POST", "/sidetree/v1/operations", operation)
        assert status == 200 or (status == 400 and tries > 1), body

    def resolve(self, base: str, suffix: str) -> dict[str, Any] | None:
        """What a domain knows of a DID."""
        status, body = self.ask(base, "GET", f"/sidetree/v1/identifiers/did:orb:uAAA:{suffix}")
        found: dict[str, Any] = json.loads(body)
        return found if status == 200 else None

    def members(self, base: str, collection: str) -> list[str]:
        """Who is in a collection of a domain's service."""
        _, body = self.ask(base, "GET", f"/services/orb/{collection}?page=true")
        found: list[str] = json.loads(body)["items"]
        return found

    def depth(self, word: str, queue: str) -> int | None:
        """How many messages wait in a domain's queue."""
        places = Places.from_json((self.data / word / "places.json").read_bytes())
        return asyncio.run(_depth(places, queue))

    def operations(self, word: str) -> list[Anchored]:
        """All that a domain has observed."""
        database = open_database(Places.from_json((self.data / word / "places.json").read_bytes()))
        try:
            return database.read(operations_between, FIRST_KEY, None)
        finally:
            database.close()


async def _depth(places: Places, queue: str) -> int | None:
    broker = await open_broker(places.broker)
    try:
        return await broker.depth(places.queues.named(queue))
    finally:
        await broker.close()


def _ask(base: str, method: str, path: str, body: bytes) -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection(urlsplit(base).netloc, timeout=30)) as connection:
        connection.request(method, path, body=body)
        answer = connection.getresponse()
        return answer.status, answer.read()


def _children(pid: int) -> list[int]:
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += [int(each) for each in (task / "children").read_text().split()]
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ").strip()
    except OSError:
        return ""


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
