"""Alarms: publishers stop while memory or disk run short.

Looked at about once a second, never for a message. Consumers go on: they are how room is made. The
words of the reasons are RabbitMQ's, since clients show them to people.
"""

from __future__ import annotations

import asyncio
import logging
from ctypes import CDLL
from os import sysconf
from pathlib import Path
from shutil import disk_usage
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.errors import StoreError

__all__ = ["Alarms", "Gauges", "total_memory"]

log = logging.getLogger(__name__)

#: Seconds from one look to the next.
APART: Final = 1.0
LOW_MEMORY: Final = "memory"
LOW_DISK: Final = "disk"
#: What this process may use, as a container is told.
CGROUPS: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class Gauges:
    """What is measured."""

    def __init__(self, folder: Path | None = None) -> None:
        """Gauges for this process, and for the disk this folder is on, if there is one."""
        self._folder = folder

    def memory(self) -> int:
        """Bytes of memory this process uses; 0 where the system does not tell."""
        try:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
        except OSError:
            return 0
        return pages * sysconf("SC_PAGE_SIZE")

    def disk_free(self) -> int | None:
        """Bytes left on the disk; None if none is used, or it cannot be asked."""
        if self._folder is None:
            return None
        try:
            return disk_usage(self._folder).free
        except OSError as error:
            log.warning("the free space of %s is unknown: %s", self._folder, error)
            return None

    def give_back(self) -> None:
        """Let the allocator return what it keeps for later, where it can be asked to."""
        trim = getattr(CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def total_memory() -> int:
    """Bytes of memory of the machine, or of the container if that is less."""
    total = sysconf("SC_PHYS_PAGES") * sysconf("SC_PAGE_SIZE")
    for file in map(Path, CGROUPS):
        try:
            limit = file.read_text().strip()
        except OSError:
            continue
        if limit.isdigit():
            total = min(total, int(limit))
    return total


class Alarms:
    """Why publishers are to stop, if they are."""

    def __init__(self, gauges: Gauges, *, memory_limit: int, disk_free_limit: int) -> None:
        self._gauges = gauges
        self._memory_limit = memory_limit
        self._disk_free_limit = disk_free_limit
        self._trouble: StoreError | None = None
        self._timer: asyncio.TimerHandle | None = None
        #: None if all is well.
        self.reason: str | None = None
        #: Called with the reason when it is another, None when all is well again.
        self.on_change: Callable[[str | None], None] = lambda _reason: None
        #: Called at each look, for others who look at something now and then: one timer is enough.
        self.on_look: Callable[[], None] = lambda: None

    def __repr__(self) -> str:
        return f"<Alarms: {self.reason or 'all is well'}>"

    def start(self) -> None:
        """Look now, and again and again until `stop`."""
        self._timer = asyncio.get_running_loop().call_later(APART, self.start)
        self.check()
        self.on_look()

    def stop(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()

    def trouble(self, error: StoreError | None) -> None:
        """The store cannot be written, or can again: what the writer says."""
        self._trouble = error
        self.check()

    def check(self) -> None:
        """Look."""
        low = []
        if self._is_low_on_memory():
            low.append(LOW_MEMORY)
        if self._trouble is not None or self._is_low_on_disk():
            low.append(LOW_DISK)
        reason = f"low on {' & '.join(low)}" if low else None
        if reason != self.reason:
            self.reason = reason
            log.warning("publishers %s", f"are blocked: {reason}" if reason else "go on")
            self.on_change(reason)

    def _is_low_on_memory(self) -> bool:
        if self._gauges.memory() <= self._memory_limit:
            return False
        self._gauges.give_back()
        return self._gauges.memory() > self._memory_limit

    def _is_low_on_disk(self) -> bool:
        free = self._gauges.disk_free()
        return free is not None and free < self._disk_free_limit
