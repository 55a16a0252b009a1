from __future__ import annotations

import asyncio
import errno
import multiprocessing
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import ProcessDied
from penstock.messaging.tracing import Trace, within
from penstock.workers.job import Job, Known
from penstock.workers.processes import Processes
from tests.workers.handlers import die, hang, square, traced, wait_for, whoami

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")


async def done(processes: Processes, handler: Callable[..., Any], content: Any = None) -> Any:
    return await begun(processes, handler, job(content))


def begun(processes: Processes, handler: Callable[..., Any], job: Job[Any]) -> asyncio.Task[Any]:
    async def do() -> Any:
        return await processes.do(await processes.take(), handler, job)

    return asyncio.create_task(do())


def job(content: Any = None) -> Job[Any]:
    return Job("/job", content, known=Known())


def test_a_process_that_dies_takes_its_own_job_along_and_another_follows(tmp_path: Path) -> None:
    async def story() -> None:
        processes = Processes(2)
        assert repr(processes) == "<Processes 2, 0 started, 0 busy>"
        try:
            # Given one that is at work, and one that has done its work
            waiting = begun(processes, wait_for, job(str(tmp_path / "gate")))
            assert await done(processes, square, 7) == 49
            first = await done(processes, whoami)
            # When that one dies
            with pytest.raises(ProcessDied, match="the process that did /job is dead"):
                await done(processes, die)
            # Then another takes its place, and the one at work has not noticed
            second = await done(processes, whoami)
            assert repr(processes) == "<Processes 2, 2 started, 1 busy>"
            (tmp_path / "gate").touch()
            third = await waiting
            assert len({first, second, third, os.getpid()}) == 4
            # One that dies while it does nothing is nobody's failure
            await dies(processes, third)
            assert await done(processes, whoami) not in {third, os.getpid()}
            # And what a handler does there is part of the trace of its job
            await traces_are_carried(processes)
        finally:
            processes.close()

    asyncio.run(story())


def test_a_process_that_cannot_be_started_is_started_for_the_next_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def start() -> None:
        raise OSError(errno.EAGAIN, "no process left")

    async def story() -> None:
        processes = Processes(1)
        with monkeypatch.context() as patch:
            patch.setattr("penstock.workers.processes.Process", start)
            with pytest.raises(OSError, match="no process left"):
                await processes.take()
        try:
            async with asyncio.timeout(60):
                assert await done(processes, square, 7) == 49
        finally:
            processes.close()

    asyncio.run(story())


async def dies(processes: Processes, pid: int) -> None:
    """Kill a process, and wait until its end is known."""
    os.kill(pid, signal.SIGKILL)
    async with asyncio.timeout(60):
        while all(each.is_alive for each in processes._started):  # noqa: ASYNC110  the system's to tell
            await asyncio.sleep(0.01)


async def traces_are_carried(processes: Processes) -> None:
    with within(TRACE):
        both = [begun(processes, traced, job()) for _ in range(2)]
        # While all are at work, who waits for one may give up.
        third = begun(processes, traced, job())
        await asyncio.sleep(0)
        assert third.cancel()
        assert [(await each)[:2] for each in both] == [[TRACE.parent, TRACE.state]] * 2
        # OpenTelemetry is set up there by now: spans come after that of whoever has passed the job on.
        assert (await done(processes, traced))[2:] == list(TRACE.numbers[:2])
    assert await done(processes, traced) == [None, None]


def test_a_job_that_must_end_takes_its_process_along_and_another_follows(tmp_path: Path) -> None:
    async def story() -> None:
        processes = Processes(1)
        try:
            # Given a process that is at a job which never ends
            told = tmp_path / "pid"
            hung = begun(processes, hang, job(str(told)))
            pid = int(await written(told))
            # When nobody wants it any more
            hung.cancel()
            await asyncio.gather(hung, return_exceptions=True)
            assert hung.cancelled()
            # Then the next job has a process, and that one is gone
            assert await done(processes, whoami) not in {pid, os.getpid()}
            await ends(pid)
            # And what is at work when all is over ends as well
            told.unlink()
            last = begun(processes, hang, job(str(told)))
            pid = int(await written(told))
        finally:
            processes.close()
        with pytest.raises(ProcessDied):
            await last
        await ends(pid)

    asyncio.run(story())


async def written(path: Path) -> str:
    async with asyncio.timeout(60):
        while not (found := text_of(path)):  # noqa: ASYNC110  another process writes it
            await asyncio.sleep(0.01)
    return found


def text_of(path: Path) -> str:
    return path.read_text() if path.exists() else ""


async def ends(pid: int) -> None:
    async with asyncio.timeout(60):
        while pid in {each.pid for each in multiprocessing.active_children()}:  # noqa: ASYNC110  as above
            await asyncio.sleep(0.01)
