from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.faults.broker import wait_for
from tests.servers.nursery import Nursery

if TYPE_CHECKING:
    from collections.abc import Iterator


def program() -> None:
    """Does what its first argument says."""
    {"speak": speak, "sleep": sleep}[sys.argv[1]]()


def speak() -> None:
    print(Path.cwd(), os.getsid(0) == os.getpid(), os.environ["LATE"])  # noqa: T201  to its log
    sys.exit(7)


def sleep() -> None:
    print("up", flush=True)  # noqa: T201  likewise
    time.sleep(600)


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    made = Nursery("tests.servers.test_nursery:program", "json")
    yield made
    made.close()


def test_a_program_has_a_folder_a_session_an_environment_and_an_end(
    nursery: Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LATE", "heard")
    born = nursery.start("speak", folder=tmp_path, log=tmp_path / "log")
    assert born.wait(60) == born.returncode == 7
    assert (tmp_path / "log").read_text() == f"{tmp_path} True heard\n"


def test_what_it_does_not_expect_is_told_in_its_log(nursery: Nursery, tmp_path: Path) -> None:
    born = nursery.start("fly", folder=tmp_path, log=tmp_path / "log")
    assert born.wait(60) == 1
    assert "KeyError: 'fly'" in (tmp_path / "log").read_text()


def test_several_live_at_once_and_may_be_killed(nursery: Nursery, tmp_path: Path) -> None:
    logs = [tmp_path / "one", tmp_path / "two"]
    one, two = (nursery.start("sleep", folder=tmp_path, log=log) for log in logs)
    wait_for(lambda: all(log.exists() and log.read_text() == "up\n" for log in logs), "their first word")
    one.kill()
    assert (one.poll(), two.poll()) == (-signal.SIGKILL, None)
    os.kill(two.pid, signal.SIGTERM)
    assert two.wait(60) == -signal.SIGTERM
    two.kill()  # is gone already
