"""Debian's rabbitmq-server as its package sets it up, but on loopback, with names and folders of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from peers import Peer, PeerFailed, free_port, new_folder, start

#: The package's own script; /usr/sbin/rabbitmq-server only changes the user before it calls this.
SCRIPT: Final = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
ROOT: Final = Path(__file__).resolve().parents[2]
OBTAIN: Final = """
import pathlib, tempfile
from tests.servers.programs import PROGRAMS, obtain
with tempfile.TemporaryDirectory() as notes:
    obtain(PROGRAMS["rabbitmq"], notes=pathlib.Path(notes))
"""


def start_rabbitmq() -> Peer:
    if not SCRIPT.exists():
        _install()
    folder, port, epmd_port = new_folder("rabbitmq"), free_port(), free_port()
    environment = {
        "HOME": str(folder),  # the Erlang cookie lives there
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(epmd_port),
        "RABBITMQ_NODENAME": f"bench-{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(free_port()),
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "logs"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
    }
    # An epmd of our own: the node would start one that outlives it.
    epmd = start([shutil.which("epmd") or "epmd", "-port", str(epmd_port)], folder, environment)
    server = start([str(SCRIPT)], folder, environment)
    return Peer("RabbitMQ", port, [server, epmd], folder)


def _install() -> None:
    """Install the package, and end the epmd that its scripts leave behind."""
    before = _epmds()
    done = subprocess.run(
        [sys.executable, "-c", OBTAIN], cwd=ROOT, check=False, capture_output=True, text=True
    )
    for pid in _epmds() - before:
        os.kill(pid, signal.SIGTERM)
    if not SCRIPT.exists():
        said = done.stderr.strip().splitlines() or ["nothing"]
        raise PeerFailed(f"rabbitmq-server is not here; installing it said: {said[-1]}")


def _epmds() -> set[int]:
    """The epmd processes of the package's user."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text() == "epmd\n" and process.owner() == "rabbitmq":
                found.add(int(process.name))
        except (OSError, KeyError):  # it has just ended, or its user has no name
            continue
    return found
