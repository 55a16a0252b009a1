"""A game as its command runs it: real processes, found by what they do, so that a test can kill them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from sqlalchemy import select

from examples.keno.game import Game
from examples.keno.tables import captchas
from penstock.cli.supervising import READY
from tests.servers.running import quiet_ports

if TYPE_CHECKING:
    from typing import Self

#: Real seconds after which something must be wrong.
SOON_S = 90.0
PASSWORD = "long enough"  # noqa: S105  of empires that live for seconds


class Town:
    """A game of which everything is in a folder; it runs while it is a block's context."""

    def __init__(self, folder: Path, *options: str, statistics: bool = False) -> None:
        self.folder = folder
        self.first_port = quiet_ports()
        # Spark takes a while to start, and few tests look at what it counts.
        counting = "--statistics" if statistics else "--no-statistics"
        given = ("--data", str(folder), "--port", str(self.first_port), counting, *options)
        self._command = [sys.executable, "-m", "examples.keno", *given]
        self.game = Game(f"sqlite:///{folder / 'game.db'}")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self.game.close()

    def start(self) -> None:
        """Start it, and wait until it is ready."""
        self.lines: list[str] = []
        self.url = ""
        self.process = process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert process.stdout is not None
        self._output = process.stdout
        for line in self._output:
            self.lines.append(line.rstrip())
            if line.startswith(READY):
                self.url = line.split()[-1].rstrip("/")
            if line.split()[:1] == ["data"]:
                # The last that is told of.
                break
        assert self.url, self.lines
        self._reading = Thread(target=self._read_on)
        self._reading.start()

    def _read_on(self) -> None:
        self.lines.extend(line.rstrip() for line in self._output)

    def end(self) -> int:
        """Have it end as Ctrl-C does; how it ended."""
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(SOON_S)
        finally:
            self.process.kill()
            self._reading.join()
            self._output.close()

    @property
    def places(self) -> dict[str, str]:
        """What it has told: where each thing is."""
        told = (line.split() for line in self.lines if line.startswith("  "))
        return {line[0]: line[-1] for line in told}

    @property
    def gateways(self) -> list[str]:
        return [url for name, url in self.places.items() if name.startswith("gateway")]

    # Over HTTP

    def post(self, path: str, body: Any = None) -> tuple[int, Any]:
        """The status, and what was said."""
        data = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        return self._ask(Request(f"{self.url}{path}", data=data, method="POST"))  # noqa: S310  our own server

    def get(self, path: str) -> tuple[int, Any]:
        return self._ask(Request(f"{self.url}{path}"))  # noqa: S310  likewise

    def _ask(self, request: Request) -> tuple[int, Any]:
        try:
            with urlopen(request, timeout=SOON_S) as reply:  # noqa: S310  likewise
                status, kind, content = reply.status, reply.headers["Content-Type"], reply.read()
        except HTTPError as refused:
            with refused:
                status, kind, content = refused.code, refused.headers["Content-Type"], refused.read()
        return status, json.loads(content) if kind == "application/json" else content

    def sign_up(self, name: str) -> tuple[int, Any]:
        """Found an empire as a person would who can read the picture."""
        status, captcha = self.post("/captchas")
        assert status == 201, captcha
        asked = {"name": name, "password": PASSWORD, "captcha_id": captcha["captcha_id"]}
        return self.post("/empires", {**asked, "answer": self.answer_of(captcha["captcha_id"])})

    def answer_of(self, captcha_id: str) -> str:
        with self.game.read() as connection:
            found = select(captchas.c.answer).where(captchas.c.id == captcha_id)
            return str(connection.execute(found).scalar_one())

    # Processes

    def kill(self, kind: str, number: int = 0) -> bool:
        """Kill one of that kind without a word; whether there was one."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        there = [int(child) for child in children if kind in _arguments(child)]
        if there:
            os.kill(there[number % len(there)], signal.SIGKILL)
        return bool(there)


def _arguments(process: str) -> list[str]:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().rstrip("\0").split("\0")
    except OSError:
        return []
