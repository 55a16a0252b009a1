"""A small Celery application, with its worker, on the broker."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.conversations.programs import run
from tests.servers.running import Process, launch

if TYPE_CHECKING:
    from tests.servers.running import Running

HERE = Path(__file__).parent


def test_a_celery_application_works(broker: Running, name: str, tmp_path: Path) -> None:
    settings = {"BROKER": broker.url, "QUEUE": name, "PYTHONPATH": str(HERE)}
    worker = launch(
        [sys.executable, "-m", "celery", "-A", "celery_app", "worker", "--pool", "solo", "-l", "warning"],
        folder=tmp_path,
        environment=os.environ | settings,
        log=tmp_path / "worker.log",
    )
    try:
        asked = run([sys.executable, HERE / "celery_app.py"], folder=tmp_path, environment=settings)
    finally:
        Process.of(worker).end()
    assert json.loads(asked) == {
        "call": 5,
        "later": 2,
        "chain": 12,
        "group": [0, 2, 4, 6, 8],
        "retried": 3,
        "failed": "ArithmeticError('as it should')",
        "pong": [[{"ok": "pong"}]],
        "dead": ["celery_app.refuse", "rejected"],
    }
