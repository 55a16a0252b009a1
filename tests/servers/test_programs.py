"""Finding and installing, with an apt-get of our own: a script on the PATH that keeps a diary."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.servers import programs
from tests.servers.programs import PROGRAMS, Program, ProgramMissing, maybe_find, obtain
from tests.servers.running import _comes_true, _started

if TYPE_CHECKING:
    from pathlib import Path

THING = Program(name="thing", commands=("thingd-new", "thingd"), package="thing-server")

APT_GET = """#!/bin/sh
echo "$1 $(test -x {policy} && echo quietly)" >>{diary}
{does}
"""
INSTALLS = 'case $* in *thing-server) cp "$0" "$(dirname "$0")/thingd" ;; esac'
FAILS = "echo 'Unable to locate package'; exit 100"


class Machine:
    """A machine with nothing on its PATH but an apt-get that does as told, and us as root."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.policy = folder / "policy-rc.d"
        self.diary = folder / "diary"
        self.notes = folder / "notes"
        self.bin.mkdir()
        self.notes.mkdir()

    def put(self, command: str, script: str = "#!/bin/sh\n") -> Path:
        path = self.bin / command
        path.write_text(script)
        path.chmod(0o755)
        return path

    def put_apt(self, does: str) -> None:
        self.put("apt-get", APT_GET.format(policy=self.policy, diary=self.diary, does=does))

    def apt_was_asked(self) -> list[str]:
        return self.diary.read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine(tmp_path)
    monkeypatch.setenv("PATH", f"{machine.bin}:/usr/bin:/bin")
    monkeypatch.setattr(programs, "POLICY", machine.policy)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return machine


def test_the_registry_goes_by_the_programs_names() -> None:
    assert all(name == program.name for name, program in PROGRAMS.items())


def test_a_program_is_found_under_its_first_name_that_is_here(machine: Machine) -> None:
    assert maybe_find(THING) is None
    old = machine.put("thingd")
    assert maybe_find(THING) == old
    new = machine.put("thingd-new")
    assert maybe_find(THING) == new


def test_a_program_is_found_where_debian_hides_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = machine.notes / "15" / "bin" / "thingd"
    hidden.parent.mkdir(parents=True)
    hidden.touch(mode=0o755)
    monkeypatch.setattr(programs, "MORE_PLACES", (f"{machine.notes}/*/bin",))
    assert maybe_find(THING) == hidden


def test_what_is_here_is_not_installed(machine: Machine) -> None:
    thing = machine.put("thingd")
    machine.put_apt(FAILS)
    assert obtain(THING, notes=machine.notes) == thing
    assert not machine.diary.exists()


def test_root_installs_what_is_missing_without_starting_its_service(machine: Machine) -> None:
    machine.put_apt(INSTALLS)
    assert obtain(THING, notes=machine.notes) == machine.bin / "thingd"
    assert machine.apt_was_asked() == ["install quietly"]
    assert not machine.policy.exists()


def test_what_the_scripts_of_a_package_leave_running_is_ended(machine: Machine) -> None:
    left = machine.notes / "pid"
    machine.put_apt(f"setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $! >{left}; " + INSTALLS)
    bystander = subprocess.Popen(["sleep", "600"])
    try:
        obtain(THING, notes=machine.notes)
        assert _comes_true(lambda: not _started(int(left.read_text())), within_s=60)
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_policy_of_the_machine_itself_stays(machine: Machine) -> None:
    machine.policy.write_text("the machine's own")
    machine.put_apt(INSTALLS)
    obtain(THING, notes=machine.notes)
    assert machine.policy.read_text() == "the machine's own"


def test_workers_that_race_install_once(machine: Machine) -> None:
    machine.put_apt("sleep 0.1; " + INSTALLS)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: obtain(THING, notes=machine.notes), range(4)))
    assert found == [machine.bin / "thingd"] * 4
    assert machine.apt_was_asked() == ["install quietly"]


def test_a_failure_is_tried_once_with_fresh_lists_and_remembered(machine: Machine) -> None:
    machine.put_apt(FAILS)
    for _ in range(2):
        with pytest.raises(ProgramMissing, match="thing could not be installed: Unable to locate package"):
            obtain(THING, notes=machine.notes)
    assert machine.apt_was_asked() == ["install quietly", "update quietly", "install quietly"]


def test_an_ordinary_user_is_told_what_root_can_do(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.put_apt(INSTALLS)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(
        ProgramMissing, match="thing is not here; have root run 'apt-get install thing-server'"
    ):
        obtain(THING, notes=machine.notes)
    assert not machine.diary.exists()
