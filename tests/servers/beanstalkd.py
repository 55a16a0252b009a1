"""The real beanstalkd: a process, and a folder for its binlog if it is to have one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.servers.running import HOST, Process, Running, free_port, launch, wait_until_it_listens

if TYPE_CHECKING:
    from pathlib import Path

#: Where its clients find it.
URL_FORM = "beanstalk://{host}:{port}"


def start(program: Path, folder: Path, *arguments: str) -> Running:
    """Start beanstalkd and return when it answers.

    Args:
        folder: Nobody else's.
        arguments: More of the command line.
    """
    port, log = free_port(), folder / "beanstalkd.log"
    command: list[str | Path] = [program, "-l", HOST, "-p", str(port), *arguments]
    child = launch(command, folder=folder, environment=os.environ, log=log)
    running = Running(name="beanstalkd", port=port, processes=(Process.of(child),), url_form=URL_FORM)
    try:
        wait_until_it_listens(port, child=child, log=log)
    except BaseException:
        running.end()
        raise
    return running
