from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from penstock.errors import ProcessDied
from penstock.messaging.tracing import Trace, within
from penstock.workers.job import Job, Known
from penstock.workers.processes import Processes
from tests.workers.handlers import die, square, traced, wait_for, whoami

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TRACE = Trace("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=1")


async def done(processes: Processes, handler: Callable[..., Any], content: Any = None) -> Any:
    return await (await processes.begin(handler, job(content)))


def job(content: Any = None) -> Job[Any]:
    return Job("/job", content, known=Known())


def test_a_process_that_dies_takes_its_own_job_along_and_another_follows(tmp_path: Path) -> None:
    async def story() -> None:
        processes = Processes(2)
        assert repr(processes) == "<Processes 2, 0 started>"
        try:
            # Given one that is at work, and one that has done its work
            waiting = await processes.begin(wait_for, job(str(tmp_path / "gate")))
            assert await done(processes, square, 7) == 49
            first = await done(processes, whoami)
            # When that one dies
            with pytest.raises(ProcessDied, match="the process that did /job is dead"):
                await done(processes, die)
            # Then another takes its place, and the one at work has not noticed
            second = await done(processes, whoami)
            assert repr(processes) == "<Processes 2, 2 started>"
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


async def dies(processes: Processes, pid: int) -> None:
    """Kill a process, and wait until its end is known."""
    os.kill(pid, signal.SIGKILL)
    started: Any = processes._started
    async with asyncio.timeout(60):
        while not any(each._broken for each in started):  # noqa: ASYNC110  a thread of the library's notices
            await asyncio.sleep(0.01)


async def traces_are_carried(processes: Processes) -> None:
    with within(TRACE):
        both = [await processes.begin(traced, job()) for _ in range(2)]
        # While all are at work, who waits for one may give up.
        third = asyncio.ensure_future(processes.begin(traced, job()))
        await asyncio.sleep(0)
        assert third.cancel()
        assert [(await each)[:2] for each in both] == [[TRACE.parent, TRACE.state]] * 2
        # OpenTelemetry is set up there by now: spans come after that of whoever has passed the job on.
        assert (await done(processes, traced))[2:] == list(TRACE.numbers[:2])
    assert await done(processes, traced) == [None, None]
