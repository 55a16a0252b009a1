from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tests.cli.worker_programs import GAME, Program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.servers.running import Running


def test_a_crew_keeps_its_number_and_ends_together(
    penstock_server: Running, name: str, tmp_path: Path
) -> None:
    arguments = ("--processes", "2", "--concurrency", "1", "--prefetch", "1")
    with Program(tmp_path, penstock_server.url, name, *arguments) as crew:
        # Given a job in the hands of each
        crew.put("/slow", 1, 2)
        crew.wait_for(lambda: len(crew.lines("begun")) == 2)
        pids = {int(line.split()[1]) for line in crew.lines("begun")}
        assert len(pids) == 2
        # When one of them is killed (kill -9)
        os.kill(min(pids), signal.SIGKILL)
        # Then a third process begins with its job
        crew.wait_for(lambda: len(crew.lines("begun")) == 3)
        pids = {int(line.split()[1]) for line in crew.lines("begun")}
        assert len(pids) == 3
        (tmp_path / "gate").touch()
        crew.wait_for(lambda: len(list(tmp_path.glob("done-*"))) == 2)
        assert crew.end() == 0, crew.log
    assert "was ended by SIGKILL, and is started again" in crew.log
    assert not any(is_alive(pid) for pid in pids)


def test_code_that_changes_is_loaded_anew(penstock_server: Running, name: str, tmp_path: Path) -> None:
    with Program(tmp_path, penstock_server.url, name, "--reload") as program:
        program.put("/greet", 1)
        program.wait_for(lambda: program.lines("greeted"))
        # When somebody is in the middle of a change
        (tmp_path / "game.py").write_text(f"{GAME}\npaths = routes; del routes")
        program.wait_for(lambda: "the workers wait for a change" in program.log)
        # And then done with it
        (tmp_path / "game.py").write_text(GAME.replace('"first"', '"second"'))
        program.put("/greet", 2)
        program.wait_for(lambda: len(program.lines("greeted")) == 2)
        assert program.end() == 0, program.log
    assert [line.split()[0] for line in program.lines("greeted")] == ["first", "second"]


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
