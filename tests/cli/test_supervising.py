from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from penstock.cli import supervising
from penstock.cli.supervising import READY, Program, Supervisor
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

#: Says who it is in a file and in its log, then that it is ready, and ends with its standard input.
LIVES = f"""
import os, signal, sys
def note(text):
    with open(sys.argv[1], "a") as file:
        print(text, file=file, flush=True)
note(os.getpid())
print("a word for the log", file=sys.stderr)
# first of all
print("{READY}", flush=True)
while os.read(0, 100):
    pass
"""
#: Notes when it is asked to end.
NOTES_ITS_END = LIVES.replace(
    "# first of all", "signal.signal(signal.SIGTERM, lambda *_: (note(time.monotonic_ns()), sys.exit()))"
).replace("import os", "import time, os")
STUBBORN = LIVES.replace("# first of all", "signal.signal(signal.SIGTERM, signal.SIG_IGN)")


class Nurse:
    """Programs of a test, and what is told of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.told: list[str] = []
        self.supervisor = Supervisor(self.told.append)

    def program(self, text: str = LIVES, name: str = "sleeper") -> Program:
        notes = str(self.folder / f"{name}.pids")
        return Program(
            name=name, arguments=[sys.executable, "-c", text, notes], log=self.folder / "logs" / f"{name}.log"
        )

    def pids(self, name: str = "sleeper") -> list[int]:
        return [int(line) for line in (self.folder / f"{name}.pids").read_text().split()]


@asynccontextmanager
async def nursing(folder: Path) -> AsyncIterator[Nurse]:
    nurse = Nurse(folder)
    try:
        async with asyncio.timeout(60):
            yield nurse
    finally:
        await nurse.supervisor.stop()


async def until(condition: Callable[[], object]) -> None:
    while not condition():  # noqa: ASYNC110 (processes set no event)
        await asyncio.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_program_that_dies_is_started_again_and_that_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            await nurse.supervisor.start(nurse.program()).wait()
            [first] = nurse.pids()
            os.kill(first, signal.SIGKILL)
            await until(lambda: len(nurse.pids()) == 2)
            [told] = nurse.told
            assert told.startswith("sleeper was ended by SIGKILL, and is started again in 0.5 s (")
            assert (tmp_path / "logs" / "sleeper.log").read_text().startswith("a word for the log")

    asyncio.run(story())


def test_who_keeps_on_failing_is_started_later_and_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "SHORTEST_S", 0.01)
    monkeypatch.setattr(supervising, "LONGEST_S", 0.03)

    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            nurse.supervisor.start(nurse.program("raise SystemExit(1)"))
            await until(lambda: len(nurse.told) >= 4)
            waits = [told.partition(" in ")[2].partition(" s ")[0] for told in nurse.told[:4]]
            assert waits == ["0.01", "0.02", "0.03", "0.03"]
            assert "has ended with 1" in nurse.told[0]

    asyncio.run(story())


def test_why_a_program_has_ended_is_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            gives_up = "import sys; print('penstock: the database is away', file=sys.stderr); sys.exit(1)"
            nurse.supervisor.start(nurse.program(gives_up))
            await until(lambda: nurse.told)
            log = tmp_path / "logs" / "sleeper.log"
            assert nurse.told == [
                f"sleeper has ended with 1, and is started again in 0.5 s ({log}): the database is away"
            ]

    asyncio.run(story())


def test_what_a_program_waits_for_before_it_is_ready_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervising, "LATE_S", 0.5)
    entry = '{"level": "warning", "message": "the broker is away"}'
    waits = LIVES.replace("# first of all", f"print('''{entry}''', file=sys.stderr); os.read(0, 100)")

    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            nurse.supervisor.start(nurse.program(waits))
            await nurse.supervisor.start(nurse.program(name="quick")).wait()
            await until(lambda: nurse.told)
            log = tmp_path / "logs" / "sleeper.log"
            assert nurse.told == [f"sleeper is not ready yet ({log}): the broker is away"]

    asyncio.run(story())


def test_programs_end_in_the_opposite_order(tmp_path: Path) -> None:
    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            for name in ("a", "b", "c"):
                await nurse.supervisor.start(nurse.program(NOTES_ITS_END, name)).wait()
            await nurse.supervisor.stop()
            ends = {name: nurse.pids(name)[1] for name in "abc"}
            assert sorted(ends, key=ends.__getitem__) == ["c", "b", "a"]
            assert not any(is_alive(nurse.pids(name)[0]) for name in "abc")
            assert nurse.told == []

    asyncio.run(story())


def test_who_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervising, "END_WITHIN_S", 0.2)

    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            await nurse.supervisor.start(nurse.program(STUBBORN)).wait()
            await nurse.supervisor.stop()
            assert nurse.told == ["sleeper does not end by itself, and is killed"]
            assert not is_alive(nurse.pids()[0])

    asyncio.run(story())


def test_a_mistake_in_the_settings_ends_it_all(tmp_path: Path) -> None:
    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            mistaken = "import sys; print('penstock: no such port', file=sys.stderr); sys.exit(2)"
            nurse.supervisor.start(nurse.program(mistaken))
            waiting = asyncio.create_task(asyncio.sleep(60))
            with pytest.raises(BadSetting, match="sleeper: no such port"):
                await nurse.supervisor.watch(waiting)
            waiting.cancel()

    asyncio.run(story())


def test_watching_ends_with_what_is_waited_for(tmp_path: Path) -> None:
    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            await nurse.supervisor.start(nurse.program()).wait()
            await nurse.supervisor.watch(asyncio.create_task(asyncio.sleep(0)))

            async def fail() -> None:
                raise BadSetting("it cannot be", setting="data")

            with pytest.raises(BadSetting, match="it cannot be"):
                await nurse.supervisor.watch(asyncio.create_task(fail()))

    asyncio.run(story())


def test_without_a_log_a_program_speaks_where_we_do(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            await nurse.supervisor.start(replace(nurse.program(), log=None)).wait()
            said = ""
            while "a word for the log" not in said:
                await asyncio.sleep(0.01)
                said += capfd.readouterr().err

    asyncio.run(story())


def test_a_program_ends_when_its_standard_input_does(tmp_path: Path) -> None:
    text = "from penstock.cli.supervising import end_with_parent as end; import time; end(); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE)  # noqa: S603 (written here)
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(60) == -signal.SIGTERM


def test_those_behind_the_first_end_together_and_the_first_last(tmp_path: Path) -> None:
    async def story() -> None:
        async with nursing(tmp_path) as nurse:
            names = ("broker", "slow", "quick")
            slow = NOTES_ITS_END.replace(
                "sys.exit()", "time.sleep(0.3), note(time.monotonic_ns()), sys.exit()"
            )
            texts = {"broker": NOTES_ITS_END, "slow": slow, "quick": NOTES_ITS_END}
            for name in names:
                await nurse.supervisor.start(nurse.program(texts[name], name)).wait()
            await nurse.supervisor.stop(one_by_one=1)
            [_, broker], [_, began, ended], [_, quick] = (nurse.pids(name) for name in names)
            assert quick < ended
            assert began < ended < broker

    asyncio.run(story())
