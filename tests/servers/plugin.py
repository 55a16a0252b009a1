"""Tests ask for a real program with the `real_program` fixture; this says what becomes of them without it.

A missing program skips the test, visibly: the last lines of the run count what was skipped for
which program. With CI=true it fails the test instead. Servers that tests have started and share are
ended when the run is over.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.servers.programs import PROGRAMS, ProgramMissing, obtain
from tests.servers.running import end_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def is_ci() -> bool:
    return os.environ.get("CI", "").lower() in {"1", "true"}


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this test run share."""
    folder = tmp_path_factory.getbasetemp()
    # xdist gives each worker a folder in the run's own.
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def real_program(run_folder: Path) -> Callable[[str], Path]:
    """Where a program of PROGRAMS is, e.g. real_program("beanstalkd"); without it the test is over."""

    def find_or_install(name: str) -> Path:
        try:
            return obtain(PROGRAMS[name], notes=run_folder)
        except ProgramMissing as missing:
            reason = f"real server missing: {missing}"
        if is_ci():
            pytest.fail(reason, pytrace=False)
        pytest.skip(reason)

    return find_or_install


class MissingServers:
    """Counts the tests that each missing program has cost; the reports of all xdist workers come by here."""

    def __init__(self) -> None:
        self.tests = Counter[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed and (missing := re.search(r"real server missing: (\S+)", str(report.longrepr))):
            self.tests[missing[1]] += 1

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.tests:
            return
        verdict = "failed" if is_ci() else "skipped"
        counts = [f"{name} ({n} test{'s' * (n > 1)} {verdict})" for name, n in sorted(self.tests.items())]
        terminalreporter.write_line(f"real servers missing: {', '.join(counts)}", yellow=True)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(MissingServers())


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the servers that tests have started and share; the workers are done by now."""
    folders: pytest.TempPathFactory | None = getattr(config, "_tmp_path_factory", None)
    if folders is not None and "PYTEST_XDIST_WORKER" not in os.environ:
        end_all(folders.getbasetemp())
