from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

from rich.console import Console

from penstock.cli import top as module
from penstock.cli.management import asked
from penstock.cli.top_view import Snapshot
from penstock.errors import ManagementMissing

if TYPE_CHECKING:
    import pytest

    from tests.cli.office import Office


def test_one_look_is_printed_where_nobody_watches(office: Office) -> None:
    office.fill(b"one")
    text = office.run("top", "--sort", "name", "--lines", "1000")
    assert office.queue in text
    assert "/s" in text


def test_a_program_is_told_everything(office: Office) -> None:
    office.fill()
    found = office.ask("top")
    assert office.queue in [each["queue"] for each in found["queues"]]
    assert found["broker"].lower().startswith(office.managed.name)


def test_it_looks_again_and_again_and_survives_a_broker_that_goes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    looks: list[int] = []

    def snapshot(_api: Any) -> Snapshot:
        looks.append(1)
        if len(looks) == 2:
            raise ManagementMissing("nobody answers")
        return Snapshot(place=f"look {len(looks)}", overview={}, queues=[])

    def stop() -> None:
        while len(looks) < 4:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(module, "snapshot", snapshot)
    stopping = threading.Thread(target=stop)
    stopping.start()
    with asked("http://127.0.0.1:1") as api:
        console = Console(force_terminal=True, width=80, height=20)
        asyncio.run(module._watch(api, console, 0.02, "name", None))
    stopping.join()
    shown = capsys.readouterr().out
    assert "nobody answers" in shown
    assert "look 3" in shown
