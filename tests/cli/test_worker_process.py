from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING

import pytest

from penstock.messaging import Message
from penstock.workers import Jobs
from penstock.workers.form import encode_form
from penstock.workers.judging import MAX_RESERVES
from tests.cli.worker_programs import GAME, PATIENCE_S, Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.running import Running


@pytest.mark.parametrize("server", ["penstock_server", "beanstalkd_server"])
def test_the_jobs_of_a_worker_that_was_killed_in_the_middle_are_done_by_another(
    server: str, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(server).url
    # Given a worker that has begun with every job
    with Program(tmp_path, url, name) as first:
        ids = first.put("/slow", 1, 2, 3)
        first.wait_for(lambda: len(first.lines("begun")) == 3)
        # When it is killed (kill -9)
        first.process.kill()
    assert not list(tmp_path.glob("done-*"))
    # Then another begins with them, and each is done
    with Program(tmp_path, url, name) as second:
        second.wait_for(lambda: len(second.lines("begun")) == 6)
        (tmp_path / "gate").touch()
        second.wait_for(lambda: len(list(tmp_path.glob("done-*"))) == 3)
        # And a stop is a clean one
        assert second.end() == 0, second.log
    assert {file.name for file in tmp_path.glob("done-*")} == {f"done-{each}" for each in ids}


def test_a_stop_waits_for_jobs_that_have_begun(penstock_server: Running, name: str, tmp_path: Path) -> None:
    with Program(tmp_path, penstock_server.url, name, "--concurrency", "1", "--prefetch", "1") as program:
        ids = program.put("/slow", 1, 2)
        program.wait_for(lambda: len(program.lines("begun")) == 1)
        os.kill(program.process.pid, signal.SIGTERM)
        # Before it has heard, the next one may well be begun.
        program.wait_for(lambda: "stopping" in program.log)
        (tmp_path / "gate").touch()
        assert program.process.wait(PATIENCE_S) == 0, program.log
    assert [file.name for file in tmp_path.glob("done-*")] == [f"done-{ids[0]}"]


#: Handlers that end the interpreter they run in, on routes that would try again for ever.
POISON = """
import signal
from penstock.messaging import Backoff

def crash(job: Job[int]) -> None:
    note("crashed", f"{job.attempts} {os.getpid()}")
    while not (HERE / "begun").exists():
        pass
    os.kill(os.getpid(), signal.SIGSEGV)

for name, process in (("/crash", False), ("/crash/process", True)):
    routes.route(name, process=process, retry=Backoff(attempts=1000))(crash)
"""


def test_a_job_that_crashes_its_interpreter_is_buried_and_the_others_are_done(
    penstock_server: Running, name: str, tmp_path: Path
) -> None:
    (tmp_path / "game.py").write_text(GAME + POISON)

    async def put(route: str) -> None:
        async with await Jobs.open(penstock_server.url) as jobs:
            message = Message(body=encode_form(route, 0), headers={"x-penstock-attempts": MAX_RESERVES - 1})
            await jobs.send(name, message)

    async def buried() -> list[str]:
        async with await Jobs.open(penstock_server.url) as jobs:
            found = []
            while (letter := await jobs.broker.fetch(f"{name}.dead-letters")) is not None:
                found.append(letter.message.headers["x-penstock-reason"])
                letter.ack()
            return found

    # Given a job that is being done, and one whose last try ends its process
    with Program(tmp_path, penstock_server.url, name) as first:
        ids = first.put("/slow", 1)
        asyncio.run(put("/crash/process"))
        first.wait_for(lambda: asyncio.run(buried()) == ["tried 10 times, and the process that did it died"])
        assert first.process.poll() is None
        # When the last try of another one ends the worker itself
        asyncio.run(put("/crash"))
        assert first.process.wait(PATIENCE_S) == -signal.SIGSEGV
    # Then the next worker does not begin with it, and does what was in hand
    with Program(tmp_path, penstock_server.url, name) as second:
        (tmp_path / "gate").touch()
        second.wait_for((tmp_path / f"done-{ids[0]}").exists)
        second.wait_for(lambda: asyncio.run(buried()) == ["the error is persistent"])
        assert second.end() == 0, second.log
    assert [line.split()[0] for line in second.lines("crashed")] == ["9", "9"]
