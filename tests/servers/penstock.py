"""Penstock's own broker as its users start it: a process, a folder for its data, a port."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.servers.rabbitmq import DEFINITIONS
from tests.servers.running import HOST, Process, Running, free_port, launch, wait_until_it_listens

#: The arguments that make the broker block its publishers from the start.
UNDER_ALARM = ("--memory-limit", "1MiB")

SOURCE = Path(__file__).resolve().parent.parent.parent / "src"


def start(folder: Path, *arguments: str) -> Running:
    """Start `penstock broker` in the folder and return when it answers.

    Args:
        folder: Nobody else's; the data is kept in it.
        arguments: More of the command line.
    """
    port = free_port()
    log = folder / "penstock.log"
    command = [sys.executable, "-m", "penstock", "broker", "--amqp", f"{HOST}:{port}"]
    # All tests come from one address, and some of them with a wrong password.
    command += ["--max-failed-logins", "none"]
    definitions = folder / "definitions.json"
    definitions.write_text(DEFINITIONS)
    child = launch(
        [*command, "--data", folder / "data", "--definitions", definitions, *arguments],
        folder=folder,
        environment=os.environ | {"PYTHONPATH": str(SOURCE)},
        log=log,
    )
    running = Running(name="penstock", port=port, processes=(Process.of(child),))
    try:
        wait_until_it_listens(port, child=child, log=log)
    except BaseException:
        running.end()
        raise
    return running
