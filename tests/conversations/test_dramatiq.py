"""A small Dramatiq application, with its worker, on the broker."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conversations.line import dial
from tests.conversations.programs import run
from tests.servers.running import Process, launch

if TYPE_CHECKING:
    from tests.servers.running import Running

HERE = Path(__file__).parent


def test_a_dramatiq_application_works(broker: Running, name: str, tmp_path: Path) -> None:
    settings = {
        "BROKER": broker.url,
        "QUEUE": name,
        "DIARY": str(tmp_path / "diary"),
        "PYTHONPATH": str(HERE),
    }
    worker = launch(
        [sys.executable, "-m", "dramatiq", "dramatiq_app", "--processes", "1", "--threads", "2"],
        folder=tmp_path,
        environment=os.environ | settings,
        log=tmp_path / "worker.log",
    )
    try:
        asked = run([sys.executable, HERE / "dramatiq_app.py"], folder=tmp_path, environment=settings)
    finally:
        Process.of(worker).end()
    # The first try and two more; then it is dead: none waits, none is delayed, one is in the graveyard.
    assert json.loads(asked) == {
        "messages": [0, 0, 1],
        "diary": ["add 3", "add 50", "fail", "fail", "fail"],
    }
    with dial(broker) as line:
        letter = line.channel().get(f"{name}.XQ")
    assert json.loads(letter.body)["actor_name"] == "fail"
    assert letter.headers["x-death"][0]["reason"] == "rejected"
