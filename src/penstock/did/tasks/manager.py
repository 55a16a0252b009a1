"""The task manager: each instance has one, and together they see that each task is run by one of them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from penstock.clock import sleep
from penstock.did.tasks.permit import Step, next_step, seen_now
from penstock.did.tasks.permits import finish, read_permit, refresh, take_permit
from penstock.errors import DidError, StoreError

if TYPE_CHECKING:
    from penstock.clock import Clock
    from penstock.did.database import DomainDatabase
    from penstock.did.tasks.permit import Permit, Seen
    from penstock.did.tasks.task import Task

__all__ = ["TaskManager"]

_log = logging.getLogger(__name__)


class TaskManager:
    """Runs the tasks that are this instance's turn. `register` them, `start` it, `stop` it."""

    def __init__(
        self, database: DomainDatabase, *, clock: Clock, check_interval: float = 10.0, me: str | None = None
    ) -> None:
        """A manager that is not started.

        Args:
            database: With the layout TASKS.
            clock: What it goes by.
            check_interval: task-manager-check-interval, in seconds.
            me: The instance's id; a new one, if it is None.
        """
        self._database = database
        self._clock = clock
        self._check_interval = check_interval
        #: The instance's id, by which others know whether it lives: a new one at every start.
        self.instance = me or uuid4().hex
        self._tasks: dict[str, Task] = {}
        self._running: dict[str, asyncio.Task[None]] = {}
        #: The permit of each as it was seen last.
        self._seen: dict[str, Seen] = {}
        self._loop: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        running = ", ".join(sorted(self._running)) or "nothing"
        return f"<TaskManager {self.instance}, {len(self._tasks)} tasks, running {running}>"

    def register(self, task: Task) -> None:
        """Have a task run from time to time; call before `start`.

        Raises:
            DidError: there is one of that name.
        """
        if task.name in self._tasks:
            raise DidError(f"there is a task {task.name} already")
        self._tasks[task.name] = task

    async def start(self) -> None:
        """Look now, and then every check interval."""
        self._loop = asyncio.create_task(self._look(), name=f"task manager {self.instance}")

    async def stop(self) -> None:
        """Run nothing more; what runs is cancelled."""
        ending: list[asyncio.Task[Any]] = [*self._running.values()]
        if self._loop is not None:
            ending.append(self._loop)
            self._loop = None
        for each in ending:
            each.cancel()
        if ending:
            await asyncio.wait(ending)

    @property
    def is_busy(self) -> bool:
        """Whether a task runs here."""
        return bool(self._running)

    async def _look(self) -> None:
        while True:
            await self.check()
            await sleep(self._clock, self._check_interval)

    async def check(self) -> None:
        """Look once whether a task is to be run here, and begin those that are."""
        for task in self._tasks.values():
            try:
                await self._check(task)
            except StoreError as exc:
                _log.warning("task %s waits for the database: %s", task.name, exc)

    async def _check(self, task: Task) -> None:
        permit, now = await self._database.ask(read_permit, task.name), self._clock.now()
        seen = self._seen[task.name] = seen_now(permit, self._seen.get(task.name), now)
        step = next_step(
            seen,
            self.instance,
            now,
            interval=task.interval,
            check_interval=self._check_interval,
            is_running=task.name in self._running,
        )
        if step is Step.RUN:
            await self._begin(task, permit)
        elif step is Step.REFRESH:
            await self._refresh(task)

    async def _begin(self, task: Task, seen: Permit | None) -> None:
        now = self._clock.now()
        if not await self._database.run(take_permit, task.name, seen, self.instance, now):
            # Another instance was quicker.
            return
        if seen is not None and seen.holder != self.instance:
            _log.info("task %s is taken over from %s", task.name, seen.holder)
        self._running[task.name] = asyncio.create_task(self._run(task), name=f"task {task.name}")

    async def _refresh(self, task: Task) -> None:
        if await self._database.run(refresh, task.name, self.instance, self._clock.now()):
            return
        # This instance was silent for too long, and another has begun: one of the two must end.
        _log.warning("task %s runs elsewhere by now: it is stopped here", task.name)
        running = self._running.get(task.name)
        if running is not None:
            running.cancel()

    async def _run(self, task: Task) -> None:
        try:
            await self._do(task)
            await self._database.run(finish, task.name, self.instance, self._clock.now())
        except StoreError as exc:
            _log.warning("task %s has run, and the database does not know: %s", task.name, exc)
        finally:
            # One that was cancelled leaves a permit that runs; by its age it will be taken over.
            del self._running[task.name]

    async def _do(self, task: Task) -> None:
        try:
            await task.run()
        except Exception:  # noqa: BLE001  whatever a task meets, it is run again
            _log.exception("task %s failed; it is run again", task.name)
