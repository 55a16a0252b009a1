"""Processes that do the work of plain handlers: for what keeps a processor busy.

A process that dies takes what all of them were at with it: those jobs fail, are tried again by their routes'
strategies, and find new processes.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from penstock.errors import TransientError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.workers.job import Job

__all__ = ["Processes"]


class Processes:
    """So many processes, started when they are first needed."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._executor: ProcessPoolExecutor | None = None

    def __repr__(self) -> str:
        return f"<Processes {self._size}, {'none yet' if self._executor is None else 'at work'}>"

    def submit(self, handler: Callable[[Job[Any]], Any], job: Job[Any]) -> asyncio.Future[Any]:
        """Have the handler do the job in one of them."""
        return asyncio.ensure_future(self._run(handler, job))

    async def _run(self, handler: Callable[[Job[Any]], Any], job: Job[Any]) -> Any:
        if self._executor is None:
            # A copy of this process would have its threads' locks and its connections, too.
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(self._size, mp_context=context)
        executor = self._executor
        try:
            return await asyncio.get_running_loop().run_in_executor(executor, handler, job)
        except BrokenProcessPool as exc:
            if self._executor is executor:
                self._executor = None
                executor.shutdown(wait=False)
            raise TransientError("a process that did such jobs has died") from exc

    def close(self) -> None:
        """End them."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None
