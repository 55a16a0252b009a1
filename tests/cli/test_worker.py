from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli import worker_crew, worker_process
from penstock.cli.app import app
from penstock.cli.worker_order import CHILD, SCHEDULES, URL

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.cli.worker_order import Order

MODULE = "from penstock.workers import Routes\nroutes = Routes('bg')\n"


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Order, int, bool]]]:
    """What would have been started: the order, how many processes, and whether they reload."""
    found: list[tuple[Order, int, bool]] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    for name in (URL, SCHEDULES, CHILD):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(worker_process, "run_worker", lambda order: found.append((order, 1, False)))
    monkeypatch.setattr(
        worker_crew, "run_crew", lambda order, number, reload: found.append((order, number, reload))
    )
    (tmp_path / "module_worker.py").write_text(MODULE)
    yield found
    sys.modules.pop("module_worker", None)


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["worker", "module_worker:routes", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_one_process_does_the_work_itself(started: list[tuple[Order, int, bool]]) -> None:
    run("--queue", "bg_building", "-q", "bg_fleet", "--concurrency", "50", "--schedules", "sqlite://")
    ((order, processes, reload),) = started
    assert (processes, reload, order.url, order.schedules) == (1, False, None, "sqlite://")
    assert (order.queues, order.concurrency, order.time_limit) == (("bg_building", "bg_fleet"), 50, 120.0)


def test_several_processes_are_a_crew(started: list[tuple[Order, int, bool]]) -> None:
    run("--processes", "4", "--url", "amqp://localhost/")
    run("--reload")
    assert [(processes, reload) for _, processes, reload in started] == [(4, False), (1, True)]


def test_a_process_of_a_crew_does_the_work_itself(
    started: list[tuple[Order, int, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CHILD, "1")
    run("--reload")
    assert [(processes, reload) for _, processes, reload in started] == [(1, False)]


def test_several_processes_need_a_broker_that_all_reach(started: list[tuple[Order, int, bool]]) -> None:
    assert "name it with --url" in run("--processes", "2", code=2)
    assert started == []


def test_a_mistake_is_told_before_a_process_is_started(started: list[tuple[Order, int, bool]]) -> None:
    arguments = ["worker", "module_worker:paths", "--processes", "2", "--url", "amqp://localhost/"]
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, started) == (2, [])
    assert "module_worker has no routes 'paths'; there is routes" in result.output
