"""Processes that do the work of plain handlers: for what keeps a processor busy.

Each does one job at a time, and dies alone: the job that it was at fails, and is counted as any that ends in
silence; the others do not notice. A job that must end takes its process along, and another follows.
"""

from __future__ import annotations

import asyncio
import atexit
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from penstock.messaging.tracing import maybe_passed
from penstock.workers.process import Process

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.workers.job import Job

__all__ = ["Processes"]


class Processes:
    """So many processes, each started when it is first needed. `close` them at the end."""

    def __init__(self, size: int) -> None:
        #: Those that do nothing; None is one that is not started. The one that was busy last goes first.
        self._free: asyncio.LifoQueue[Process | None] = asyncio.LifoQueue()
        for _ in range(size):
            self._free.put_nowait(None)
        self._size = size
        self._started: set[Process] = set()
        self._busy: set[Process] = set()
        # Each listens to a process that is at work.
        self._threads = ThreadPoolExecutor(size, thread_name_prefix="processes")
        # Python waits for its processes when it ends, and they for jobs, until somebody says that it is over.
        atexit.register(self.close)

    def __repr__(self) -> str:
        return f"<Processes {self._size}, {len(self._started)} started, {len(self._busy)} busy>"

    async def take(self) -> Process:
        """One with nothing to do, as soon as there is one. `do` something with it, at once."""
        process = await self._free.get()
        if process is not None and process.is_alive:
            return process
        if process is not None:
            # It died while it had nothing to do, and no job is to blame.
            self._forget(process)
        try:
            process = Process()
        except BaseException:
            # A machine without memory for one more: the next job tries again.
            self._free.put_nowait(None)
            raise
        self._started.add(process)
        return process

    async def do(self, process: Process, handler: Callable[[Job[Any]], Any], job: Job[Any]) -> Any:
        """Have it do a job. If that is cancelled the process is killed: nothing else stops a function.

        Raises:
            ProcessDied: and the job with it.
        """
        self._busy.add(process)
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, process.do, handler, job, maybe_passed())
        except asyncio.CancelledError:
            process.kill()
            self._started.discard(process)
            raise
        finally:
            self._busy.discard(process)
            self._free.put_nowait(process if process in self._started else None)

    def _forget(self, process: Process) -> None:
        self._started.discard(process)
        process.close()

    def close(self) -> None:
        """End them, with whatever they are at."""
        atexit.unregister(self.close)
        for each in self._busy:
            each.kill()
        for each in self._started - self._busy:
            each.close()
        self._started.clear()
        self._threads.shutdown(wait=False, cancel_futures=True)
