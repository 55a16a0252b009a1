"""Worker processes as their users start them, and jobs whose effects can be seen from outside."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from typing import TYPE_CHECKING, Self

from penstock.workers import Jobs
from tests.servers.nursery import nursery

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: Real seconds after which something must be wrong.
PATIENCE_S = 90.0

#: Handlers that write down what they do. A job for /slow waits until the file `gate` is there.
GAME = """
import asyncio
import os
from pathlib import Path
from penstock.workers import Job, Routes

routes = Routes()
HERE = Path(__file__).parent
GREETING = "first"

def note(kind, text):
    with (HERE / kind).open("a") as file:
        file.write(f"{text}\\n")

@routes.route("/slow")
async def slow(job: Job[int]) -> None:
    note("begun", f"{job.content} {os.getpid()}")
    while not (HERE / "gate").exists():
        await asyncio.sleep(0.01)
    # Idempotent: a job that is done twice leaves one file.
    (HERE / f"done-{job.id}").touch()

@routes.route("/greet")
async def greet(job: Job[int]) -> str:
    note("greeted", f"{GREETING} {os.getpid()}")
    return GREETING
"""


class Program:
    """`penstock worker`, from its start to its end."""

    def __init__(self, folder: Path, url: str, queue: str, *arguments: str) -> None:
        self.folder = folder
        self.url = url
        self.queue = queue
        if not (folder / "game.py").exists():
            (folder / "game.py").write_text(GAME)
        self._log = folder / f"log-{len(list(folder.glob('log-*')))}"
        born = nursery("penstock.cli:main", "penstock.cli.worker_process", "penstock.workers")
        command = ("worker", "game:routes", "--url", url, "--queue", queue, *arguments)
        self.process = born.start(*command, folder=folder, log=self._log)

    def __enter__(self) -> Self:
        self.wait_for(lambda: "penstock is ready" in self.log)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def put(self, route: str, *contents: int) -> list[str]:
        async def story() -> list[str]:
            async with await Jobs.open(self.url) as jobs:
                return [await jobs.put(self.queue, route, content) for content in contents]

        return asyncio.run(story())

    def lines(self, kind: str) -> list[str]:
        file = self.folder / kind
        return file.read_text().splitlines() if file.exists() else []

    def wait_for(self, condition: Callable[[], object]) -> None:
        until = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < until, self.log
            time.sleep(0.02)

    def end(self) -> int:
        """Ask it to stop, and wait until it has."""
        os.kill(self.process.pid, signal.SIGTERM)
        return self.process.wait(PATIENCE_S)
