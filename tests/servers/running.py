"""Servers that a test run has started: which processes they are, how they are shared, how they end.

All workers of a run use one server of a kind. The first that needs it starts it and notes it down in
the run's folder; the run's main process ends what is noted, by process id, when all workers are done.
Knows no server in particular and no pytest, so that bench/ can use it as well.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import json
import os
import signal
import socket
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Everything here listens to this machine only.
HOST = "127.0.0.1"

#: Seconds a server gets to come up; Debian's RabbitMQ takes eight on two idle cores.
UP_WITHIN_S = 90.0

#: What all programs of ours say when they can be used.
READY = "penstock is ready"

#: Seconds a server gets to go down by itself before it is killed.
DOWN_WITHIN_S = 10.0


_CHILDREN: list[subprocess.Popen[bytes]] = []


@atexit.register
def _leave() -> None:
    """Servers that are shared outlive us; Python would warn of each that runs when it is forgotten."""
    for child in _CHILDREN:
        child.returncode = child.poll() or 0


class Child(Protocol):
    """A process that is ours to ask."""

    @property
    def pid(self) -> int: ...

    @property
    def returncode(self) -> int | None: ...

    def poll(self) -> int | None: ...


class DidNotStart(Exception):
    """A server ended, or did not answer in time; the message has what it said last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process, and the instant of its start: an id alone may by now be somebody else's."""

    pid: int
    started: str
    #: What it is asked to end with.
    farewell: int = signal.SIGTERM

    @classmethod
    def of(cls, child: Child, *, farewell: int = signal.SIGTERM) -> Process:
        """A child that leads a session of its own: it ends together with its children."""
        return cls(pid=child.pid, started=_started(child.pid), farewell=farewell)

    def is_alive(self) -> bool:
        return bool(self.started) and _started(self.pid) == self.started

    def end(self) -> None:
        """Ask it and its children to end, and kill them if they do not."""
        self._signal(self.farewell)
        if not _comes_true(lambda: not self.is_alive(), within_s=DOWN_WITHIN_S):
            self._signal(signal.SIGKILL)
            _comes_true(lambda: not self.is_alive(), within_s=DOWN_WITHIN_S)
        for child in _CHILDREN:
            child.poll()  # takes leave of it, if it was ours

    def _signal(self, number: int) -> None:
        if self.is_alive():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.pid, number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server that answers on a port of this machine."""

    name: str
    port: int
    #: The first is ended first.
    processes: tuple[Process, ...]
    host: str = HOST
    url_form: str = "amqp://guest:guest@{host}:{port}/"

    @property
    def url(self) -> str:
        """Where its clients find it, as they like to be told."""
        return self.url_form.format(host=self.host, port=self.port)

    def end(self) -> None:
        for process in self.processes:
            process.end()


def shared(name: str, *, notes: Path, start: Callable[[Path], Running]) -> Running:
    """The run's server of this name; started now, in a folder of its own, if nobody has needed it yet.

    Args:
        name: What all workers call it.
        notes: A folder shared by all processes of this test run.
        start: Starts it in the folder it is given.
    """
    note = notes / f"server-{name}.json"
    with (notes / f"server-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if note.exists() and (noted := _read(note)).processes[0].is_alive():
            return noted
        folder = notes / f"server-{name}"
        folder.mkdir(exist_ok=True)
        running = start(folder)
        note.write_text(json.dumps(asdict(running)))
        return running


def end_all(notes: Path) -> None:
    """End every server that was noted down here; for the run's main process, when its workers are done."""
    for running, note in [(_read(note), note) for note in notes.glob("server-*.json")]:
        running.end()
        # Another run may have ended meanwhile, and taken the folder away: pytest keeps the last three.
        note.unlink(missing_ok=True)


def free_port() -> int:
    """A port that nobody listens on, and that is ours until this process ends.

    It stays bound, so the system gives it to nobody else, neither as a server's nor as the near end of a
    connection; and since it is marked as reusable, our server can listen on it, in as many lives as it has.
    """
    kept = socket.socket()
    atexit.register(kept.close)
    kept.bind((HOST, 0))
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    port: int = kept.getsockname()[1]
    return port


def quiet_ports(count: int = 8) -> int:
    """The first of so many ports in a row that are free, for who must know what comes after the first.

    The system gives none of these to a connection, and no other process of the run looks here first.
    """
    lane = 10_000 + os.getpid() * 50 % 20_000
    return next(
        first for first in range(lane, lane + 2_000) if all(map(_is_free, range(first, first + count)))
    )


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        try:
            tried.bind((HOST, port))
        except OSError:
            return False
    return True


def launch(
    arguments: Sequence[str | Path], *, folder: Path, environment: Mapping[str, str], log: Path
) -> subprocess.Popen[bytes]:
    """Start a program in the folder, with children of its own, all it says going to the log."""
    with log.open("wb") as output:
        child = subprocess.Popen(
            arguments,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _CHILDREN.append(child)
    return child


def wait_until_it_listens(port: int, *, child: Child, log: Path) -> None:
    """Return as soon as the port accepts.

    Raises:
        DidNotStart: the child has ended, or time is up.
    """
    _wait_until(lambda: _accepts(port), "listening", child=child, log=log)


def wait_until_it_is_ready(*, child: Child, log: Path) -> None:
    """Return as soon as a program of ours says so: all its ports accept then, not its first alone.

    Raises:
        DidNotStart: the child has ended, or time is up.
    """
    _wait_until(lambda: READY in _said(log), "ready", child=child, log=log)


def _wait_until(is_up: Callable[[], bool], what: str, *, child: Child, log: Path) -> None:
    def is_decided() -> bool:
        return child.poll() is not None or is_up()

    if not _comes_true(is_decided, within_s=UP_WITHIN_S) or child.poll() is not None:
        state = f"is still not {what}" if child.poll() is None else f"ended with {child.returncode}"
        raise DidNotStart(f"{log.stem} {state}; it said: …{_said(log)[-2000:]}")


def _said(log: Path) -> str:
    return log.read_text(errors="replace") if log.exists() else ""


def wait_until_also(port: int) -> None:
    """Return as soon as another port of a server accepts that has begun to listen.

    Raises:
        DidNotStart: time is up.
    """
    if not _comes_true(lambda: _accepts(port), within_s=UP_WITHIN_S):
        raise DidNotStart(f"port {port} is still closed")


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
        return True
    return False


def _comes_true(condition: Callable[[], bool], *, within_s: float) -> bool:
    until = time.monotonic() + within_s
    while not (answer := condition()) and time.monotonic() < until:
        time.sleep(0.02)
    return answer


def _read(note: Path) -> Running:
    values = json.loads(note.read_text())
    values["processes"] = tuple(Process(**process) for process in values["processes"])
    return Running(**values)


def _started(pid: int) -> str:
    """When the process started, in the kernel's ticks; empty if it is gone or only waits to be reaped."""
    try:
        # The command is in parentheses and may hold anything; then come state, field 3, and all the others.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    # proc(5): 20 is the number of threads, 22 the start. As long as there is another than the first, which is
    # a zombie already, the files are open: somebody still listens on the port.
    is_gone = fields[0] in "ZX" and int(fields[17]) <= 1
    return "" if is_gone else fields[19]
