"""Processes that do the work of plain handlers: for what keeps a processor busy.

Each does one job at a time, and dies alone: the job that it was at fails, and is counted as any that ends in
silence; the others do not notice.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from penstock.errors import ProcessDied
from penstock.messaging.tracing import going_on, maybe_passed

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.messaging.tracing import Trace
    from penstock.workers.job import Job

__all__ = ["Processes"]


class Processes:
    """So many processes, each started when it is first needed."""

    def __init__(self, size: int) -> None:
        #: Those that do nothing; None is one that is not started yet. The one that was busy last goes first.
        self._free: asyncio.LifoQueue[ProcessPoolExecutor | None] = asyncio.LifoQueue()
        for _ in range(size):
            self._free.put_nowait(None)
        self._size = size
        self._started: set[ProcessPoolExecutor] = set()

    def __repr__(self) -> str:
        return f"<Processes {self._size}, {len(self._started)} started>"

    async def begin(self, handler: Callable[[Job[Any]], Any], job: Job[Any]) -> asyncio.Future[Any]:
        """Have the handler do the job as soon as a process is free; returns when it is begun.

        What is not begun yet can be cancelled; what is, cannot be stopped.
        """
        process = await self._free.get() or self._start()
        try:
            running = _submit(process, handler, job)
        except BrokenProcessPool:
            # It died while it had nothing to do, and no job is to blame.
            self._forget(process)
            process = self._start()
            running = _submit(process, handler, job)
        return asyncio.ensure_future(self._watch(process, running, job))

    async def _watch(self, process: ProcessPoolExecutor, running: asyncio.Future[Any], job: Job[Any]) -> Any:
        left: ProcessPoolExecutor | None = process
        try:
            return await running
        except BrokenProcessPool as exc:
            left = None
            self._forget(process)
            told = "it was killed, left by itself, or a library in it crashed"
            raise ProcessDied(f"the process that did {job.route} is dead: {told}") from exc
        finally:
            self._free.put_nowait(left)

    def _start(self) -> ProcessPoolExecutor:
        # One job for each, since a pool of several fails all that they are at when one of them dies. And a
        # copy of this process would have its threads' locks and its connections, too.
        started = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        self._started.add(started)
        return started

    def _forget(self, process: ProcessPoolExecutor) -> None:
        self._started.discard(process)
        process.shutdown(wait=False)

    def close(self) -> None:
        """End them."""
        for each in self._started:
            each.shutdown(wait=False, cancel_futures=True)
        self._started.clear()


def _submit(
    process: ProcessPoolExecutor, handler: Callable[[Job[Any]], Any], job: Job[Any]
) -> asyncio.Future[Any]:
    loop = asyncio.get_running_loop()
    return loop.run_in_executor(process, _done, handler, job, maybe_passed())


def _done(handler: Callable[[Job[Any]], Any], job: Job[Any], trace: Trace | None) -> Any:
    """What becomes of the job, in the other process."""
    with going_on(trace):
        return handler(job)
