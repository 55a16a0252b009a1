"""Penstock's own broker as its users start it: a process, a folder for its data, a port."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tests.servers.beanstalkd import URL_FORM
from tests.servers.nursery import nursery
from tests.servers.rabbitmq import DEFINITIONS
from tests.servers.running import HOST, Process, Running, free_port, launch, wait_until_it_is_ready

if TYPE_CHECKING:
    from tests.servers.running import Child

#: The arguments that make the broker block its publishers from the start.
UNDER_ALARM = ("--memory-limit", "1MiB")

SOURCE = Path(__file__).resolve().parent.parent.parent / "src"


def start(folder: Path, *arguments: str) -> Running:
    """Start `penstock broker` in the folder and return when it answers.

    Args:
        folder: Nobody else's; the data is kept in it.
        arguments: More of the command line.
    """
    port, log = free_port(), folder / "penstock.log"
    command = [sys.executable, "-m", "penstock", *_command(folder, port), *arguments]
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    child = launch(command, folder=folder, environment=environment, log=log)
    return _answering(port, child, log)


def start_tubes(folder: Path) -> Running:
    """The same with a beanstalk front, which is what `port` leads to."""
    port = free_port()
    running = start(folder, "--beanstalk", f"{HOST}:{port}")
    return replace(running, name="penstock-tubes", port=port, url_form=URL_FORM)


def bear(folder: Path, port: int, *arguments: str) -> Running:
    """The same, with everything imported: for those who start many, and test other things than that."""
    log = folder / "penstock.log"
    born = nursery("penstock.cli:main", "penstock.server.main")
    log.unlink(missing_ok=True)  # an earlier life was ready, too
    child = born.start(*_command(folder, port), *arguments, folder=folder, log=log)
    return _answering(port, child, log)


def _command(folder: Path, port: int) -> list[str | Path]:
    definitions = folder / "definitions.json"
    definitions.write_text(DEFINITIONS)
    command: list[str | Path] = ["broker", "--amqp", f"{HOST}:{port}"]
    # All tests come from one address, and some of them with a wrong password.
    command += ["--max-failed-logins", "none"]
    return [*command, "--data", folder / "data", "--definitions", definitions]


def _answering(port: int, child: Child, log: Path) -> Running:
    running = Running(name="penstock", port=port, processes=(Process.of(child),))
    try:
        wait_until_it_is_ready(child=child, log=log)
    except BaseException:
        running.end()
        raise
    return running
