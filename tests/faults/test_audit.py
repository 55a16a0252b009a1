"""The audit log of a broker that is killed while people change things: no change without a line."""

from __future__ import annotations

import http.client
import json
import signal
import threading
from base64 import b64encode
from collections import defaultdict
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any

from tests.servers import penstock
from tests.servers.running import HOST, free_port

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.running import Running

PEOPLE = 3
GUEST = {"Authorization": "Basic " + b64encode(b"guest:guest").decode()}
CHANGE = "PUT /api/queues/%2F/"


class Office:
    """A broker, and people before its panel who declare one queue after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.answered: list[str] = []
        self._enough = threading.Event()
        self._wanted = 0

    def start(self) -> tuple[Running, int]:
        panel = free_port()
        running = penstock.bear(self.folder, free_port(), "--panel", f"{HOST}:{panel}")
        return running, panel

    def change_and_be_killed(self, after: int) -> None:
        self._wanted = after
        running, panel = self.start()
        try:
            people = [
                threading.Thread(target=self._declare, args=(panel, f"{person}-")) for person in range(PEOPLE)
            ]
            for person in people:
                person.start()
            assert self._enough.wait(60)
        finally:
            for process in running.processes:
                replace(process, farewell=signal.SIGKILL).end()
        for person in people:
            person.join(60)

    def _declare(self, panel: int, prefix: str) -> None:
        number = 0
        line = http.client.HTTPConnection(HOST, panel, timeout=60)
        try:
            while True:
                name = f"{prefix}{number}"
                line.request("PUT", f"/api/queues/%2F/{name}", b"{}", GUEST)
                answer = line.getresponse()
                answer.read()
                assert answer.status == http.HTTPStatus.CREATED
                self.answered.append(name)
                number += 1
                if len(self.answered) >= self._wanted:
                    self._enough.set()
        except (OSError, http.client.HTTPException):
            pass  # it was killed
        finally:
            line.close()

    def lines(self) -> dict[str, list[str]]:
        """Queue → what the file tells of its declaration, in order."""
        found = defaultdict(list)
        for line in (self.folder / "data" / "audit.jsonl").read_text().splitlines():
            told = json.loads(line)
            found[told["what"].removeprefix(CHANGE)].append(told["outcome"])
        return found


def ask(panel: int, path: str) -> Any:
    line = http.client.HTTPConnection(HOST, panel, timeout=60)
    try:
        line.request("GET", path, headers=GUEST)
        return json.loads(line.getresponse().read())
    finally:
        line.close()


def test_whenever_it_is_killed_every_change_that_is_there_has_a_line(tmp_path: Path) -> None:
    office = Office(tmp_path)
    office.change_and_be_killed(after=Random().randint(1, 50))
    killed = office.lines()
    running, panel = office.start()
    try:
        there = {each["name"] for each in ask(panel, "/api/queues")}
        shown = {
            each["what"].removeprefix(CHANGE): each["outcome"] for each in ask(panel, "/api/penstock/audit")
        }
    finally:
        running.end()
    # What was answered is there, and the log says so; what is there has a line at least.
    assert set(office.answered) <= there <= killed.keys()
    assert all(killed[name] == ["began", "done"] for name in office.answered)
    # What a kill cut off is told to be so, and is told in the file, too.
    cut_off = {name for name, told in killed.items() if told == ["began"]}
    afterwards = office.lines()
    assert all(afterwards[name] == ["began", "began, end unknown"] for name in cut_off)
    assert {name for name, outcome in shown.items() if outcome == "began, end unknown"} >= cut_off
