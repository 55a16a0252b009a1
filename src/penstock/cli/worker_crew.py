"""Several worker processes under one command: kept alive, ended together, begun anew when code changes."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.supervising import READY, Program, Supervisor
from penstock.cli.worker_files import changed, seen
from penstock.clock import SystemClock
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from penstock.cli.worker_order import Order

__all__ = ["run_crew"]


def run_crew(order: Order, processes: int, *, reload: bool) -> None:
    """Have so many processes do the jobs until asked to stop.

    Raises:
        BadSetting: they were started with what cannot be.
    """
    asyncio.run(_Crew(order, processes, reload=reload).run())


class _Crew:
    """The processes of one command."""

    def __init__(self, order: Order, processes: int, *, reload: bool) -> None:
        self._order = order
        self._processes = processes
        self._reload = reload
        self._clock = SystemClock()

    async def run(self) -> None:
        asked = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, asked.set)
        stop = asyncio.create_task(asked.wait())
        while not stop.done():
            await self._live(stop)

    async def _live(self, stop: asyncio.Task[bool]) -> None:
        """From one start to the end, or to the next change of the code."""
        before = seen(Path.cwd()) if self._reload else {}
        supervisor = Supervisor(_tell, clock=self._clock)
        ready = [supervisor.start(self._program(number)) for number in range(1, self._processes + 1)]
        until = asyncio.create_task(self._until(stop, ready, before))
        try:
            await supervisor.watch(until)
        except BadSetting as exc:
            if not self._reload:
                raise
            # Somebody is in the middle of writing it.
            _tell(f"{exc}; the workers wait for a change")
            await asyncio.wait({until})
        finally:
            until.cancel()
            await supervisor.stop()

    async def _until(
        self, stop: asyncio.Task[bool], ready: list[asyncio.Event], before: dict[Path, int]
    ) -> None:
        telling = asyncio.create_task(self._tell_ready(ready))
        waiting: set[asyncio.Task[Any]] = {stop}
        if self._reload:
            waiting.add(asyncio.create_task(changed(Path.cwd(), before, self._clock)))
        try:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (telling, *(waiting - {stop})):
                task.cancel()
        if stop not in done:
            _tell("the code has changed: the workers begin anew")

    async def _tell_ready(self, ready: list[asyncio.Event]) -> None:
        for each in ready:
            await each.wait()
        print(f"{READY}: {self._processes} worker processes", flush=True)

    def _program(self, number: int) -> Program:
        return Program(
            name=f"worker {number}",
            arguments=self._order.arguments,
            log=None,
            environment=self._order.environment,
        )


def _tell(text: str) -> None:
    typer.echo(f"penstock: {text}", err=True)
