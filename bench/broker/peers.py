"""Servers in process groups of their own, on free loopback ports, each with a folder that goes with it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import amqp

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Seconds a server has to accept its first connection.
START_LIMIT: Final = 60
#: Both servers keep their data here: on disk, where /tmp may be memory.
DATA: Final = "/var/tmp"  # noqa: S108 - mkdtemp makes the names


class PeerFailed(Exception):
    """A server did not start; the message is what it last said."""


@dataclass(slots=True)
class Peer:
    """A running server."""

    name: str
    port: int
    processes: list[subprocess.Popen[bytes]]
    #: Removed when the server has ended.
    folder: Path = field(default_factory=Path)

    def resident(self) -> int:
        """Bytes of memory all its processes hold, children included."""
        sizes = [_status(pid) for pid in _family([process.pid for process in self.processes])]
        return sum(1024 * int(status.get("VmRSS", "0 kB").split()[0]) for status in sizes)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind((amqp.HOST, 0))
        return int(taken.getsockname()[1])


def new_folder(name: str) -> Path:
    return Path(tempfile.mkdtemp(prefix=f"penstock-bench-{name}-", dir=DATA))


def start(command: list[str], folder: Path, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A process at the head of a group of its own; what it says goes to the folder's `log`."""
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


@contextlib.contextmanager
def ended(peer: Peer) -> Iterator[Peer]:
    """End the peer and remove its folder afterwards. Call `wait_ready` before using it."""
    try:
        yield peer
    finally:
        for process in peer.processes:
            # Nothing of a bench is worth a graceful end, and a group of ours holds only what we began.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        shutil.rmtree(peer.folder, ignore_errors=True)


def wait_ready(peer: Peer) -> None:
    """Return when the peer accepts connections.

    Raises:
        PeerFailed: it has ended, or does not in time.
    """
    deadline = time.monotonic() + START_LIMIT
    while time.monotonic() < deadline and all(process.poll() is None for process in peer.processes):
        try:
            amqp.connect(peer.port).close()
        except (OSError, amqp.UnexpectedAnswer):
            time.sleep(0.1)
        else:
            return
    said = (peer.folder / "log").read_text(errors="replace").strip().splitlines() or ["nothing"]
    raise PeerFailed(f"{peer.name} does not accept connections; it said: {said[-1]}")


def _family(pids: list[int]) -> set[int]:
    """The processes and all their descendants."""
    parents = {int(path.name): int(_status_of(path).get("PPid", 0)) for path in Path("/proc").glob("[0-9]*")}
    family = set(pids)
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    return family


def _status(pid: int) -> dict[str, str]:
    return _status_of(Path(f"/proc/{pid}"))


def _status_of(process: Path) -> dict[str, str]:
    try:
        lines = (process / "status").read_text().splitlines()
    except OSError:  # it has just ended
        return {}
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)
