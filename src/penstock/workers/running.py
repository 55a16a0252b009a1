"""How a handler is run: on the event loop, in a thread, or in a process. One verb for each place."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from math import inf
from typing import TYPE_CHECKING, Any

from penstock.workers.processes import Processes
from penstock.workers.route import Place

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from penstock.messaging import Context
    from penstock.workers.job import Job
    from penstock.workers.process import Process
    from penstock.workers.route import Route

    Run = Callable[[Job[Any], Context], Awaitable[Any]]

__all__ = ["Running"]


class Running:
    """Runs handlers of a worker; `close` it at the end.

    Args:
        threads: Plain handlers at a time.
        processes: Of those that want a process, so many at a time.
    """

    def __init__(self, threads: int, processes: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="worker")
        self._processes = Processes(processes)
        self._ways: Mapping[Place, Callable[[Callable[..., Any]], Run]] = {
            Place.LOOP: self._on_loop,
            Place.THREAD: self._in_thread,
            Place.PROCESS: self._in_process,
        }

    def of(self, route: Route) -> Run:
        """How the jobs of that route are run; asked once for each route."""
        return self._ways[route.place](route.handler)

    def close(self) -> None:
        """Start nothing more; a thread that is at work ends by itself, a process is ended."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._processes.close()

    # One way a place

    def _on_loop(self, handler: Callable[..., Any]) -> Run:
        return lambda job, _context: handler(job)

    def _in_thread(self, handler: Callable[..., Any]) -> Run:
        def begin(job: Job[Any]) -> asyncio.Future[Any]:
            run = contextvars.copy_context().run
            return asyncio.get_running_loop().run_in_executor(self._threads, run, handler, job)

        return lambda job, context: _shielded(begin(job), context)

    def _in_process(self, handler: Callable[..., Any]) -> Run:
        async def run(job: Job[Any], context: Context) -> Any:
            return await self._processes.do(await self._process_for(context), handler, job)

        return run

    async def _process_for(self, context: Context) -> Process:
        """A process with nothing to do. To wait for one takes none of the time that a job has."""
        allowed = context.time_left
        context.limit(inf)
        process = await self._processes.take()
        context.limit(allowed)
        return process


async def _shielded(running: asyncio.Future[Any], context: Context) -> Any:
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        # A thread does not stop in the middle of a function.
        context.leave(running)
        raise
