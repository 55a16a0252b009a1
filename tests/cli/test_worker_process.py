from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tests.cli.worker_programs import PATIENCE_S, Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.running import Running


def test_the_jobs_of_a_worker_that_was_killed_in_the_middle_are_done_by_another(
    penstock_server: Running, name: str, tmp_path: Path
) -> None:
    # Given a worker that has begun with every job
    with Program(tmp_path, penstock_server.url, name) as first:
        ids = first.put("/slow", 1, 2, 3)
        first.wait_for(lambda: len(first.lines("begun")) == 3)
        # When it is killed (kill -9)
        first.process.kill()
    assert not list(tmp_path.glob("done-*"))
    # Then another begins with them, and each is done
    with Program(tmp_path, penstock_server.url, name) as second:
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
        (tmp_path / "gate").touch()
        assert program.process.wait(PATIENCE_S) == 0, program.log
    assert [file.name for file in tmp_path.glob("done-*")] == [f"done-{ids[0]}"]
