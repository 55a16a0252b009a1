"""A broker process that a test may kill, stop, weigh and start again, always on the same folder and port."""

from __future__ import annotations

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from tests.conversations.line import Channel, Line, dial
from tests.servers import penstock
from tests.servers.nursery import Born
from tests.servers.running import HOST, free_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.servers.running import Running

#: Seconds within which everything happens that must happen; far more than it needs.
PATIENCE_S = 240.0


class FaultyBroker:
    """One broker; `start` begins its next life."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.arguments = arguments
        self._port = free_port()
        self.running: Running | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.running is not None:
            self.running.end()

    @property
    def url(self) -> str:
        """Where it is in all its lives."""
        return f"amqp://guest:guest@{HOST}:{self._port}/"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> str:
        return (self.folder / "penstock.log").read_text(errors="replace")

    @property
    def pid(self) -> int:
        assert self.running is not None
        return self.running.processes[0].pid

    def start(self) -> Running:
        self.running = penstock.bear(self.folder, self._port, *self.arguments)
        return self.running

    def kill(self) -> None:
        """`kill -9`, and wait until it is gone."""
        self.signal(signal.SIGKILL)
        self.wait_until_gone()

    def stop(self) -> None:
        """Ask it to stop, and wait until it has."""
        self.signal(signal.SIGTERM)
        self.wait_until_gone()

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait_until_gone(self) -> None:
        assert self.running is not None
        wait_for(lambda: not self.is_alive(), "the end of the broker")
        self.running.end()

    def exit_code(self) -> int:
        """What it ends with; waits until it has."""
        return Born(self.pid, self.folder).wait(PATIENCE_S)

    def is_alive(self) -> bool:
        assert self.running is not None
        return self.running.processes[0].is_alive()

    def line(self, **limits: Any) -> Line:
        assert self.running is not None
        return dial(self.running, **limits)

    @contextmanager
    def channel(self, **limits: Any) -> Iterator[Channel]:
        """A channel of a connection of its own."""
        with self.line(**limits) as line:
            yield line.channel()

    def resident(self) -> int:
        """Its memory now, in bytes."""
        return self._status("VmRSS:")

    def peak(self) -> int:
        """The most memory it ever had since `forget_peak`, in bytes."""
        return self._status("VmHWM:")

    def forget_peak(self) -> None:
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")  # proc(5): resets the peak

    def files(self) -> int:
        """How many files it has open."""
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def _status(self, name: str) -> int:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def wait_for(condition: Callable[[], object], what: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.01)
