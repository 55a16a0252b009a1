"""RabbitMQ's surroundings: what is started for it ends with it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.servers.rabbitmq import _environment, _start_port_mapper
from tests.servers.running import _accepts

if TYPE_CHECKING:
    from collections.abc import Callable


def port_mappers(port: str) -> list[int]:
    """Every process whose command is epmd and whose environment has this port."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            is_epmd = (entry / "comm").read_text().strip() == "epmd"
            if is_epmd and f"ERL_EPMD_PORT={port}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_no_port_mapper_outlives_the_node(tmp_path: Path, real_program: Callable[[str], Path]) -> None:
    real_program("rabbitmq")
    environment = _environment(tmp_path)
    port = environment["ERL_EPMD_PORT"]
    started = _start_port_mapper(tmp_path, environment)
    # A node with a name looks for a port mapper first of all, and would start one that stays.
    erl = shutil.which("erl") or next(Path("/usr/lib/erlang").glob("erts-*/bin/erl"))
    node = [erl, "-sname", "conversation@localhost", "-noinput", "-s", "erlang", "halt"]
    subprocess.run(node, env=environment, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert port_mappers(port) == [started.pid]
    started.end()
    assert (port_mappers(port), _accepts(int(port))) == ([], False)
