from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest
from pyspark import daemon

from penstock.pipelines.leaving import leaving_quietly, run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon, "worker", daemon.worker)


def _hung_up(*_: object) -> int:
    raise BrokenPipeError


def test_a_worker_on_whom_spark_has_hung_up_leaves_without_a_word() -> None:
    assert leaving_quietly(_hung_up)(None, None)


def test_what_a_worker_says_otherwise_stays() -> None:
    assert leaving_quietly(lambda *_: 0)(None, None) == 0


def test_who_forks_workers_has_them_leave_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    forked: list[Any] = []
    monkeypatch.setattr(daemon, "worker", _hung_up)
    monkeypatch.setattr(daemon, "manager", lambda: forked.append(daemon.worker))
    run("pyspark.daemon")
    assert [worker(None, None) for worker in forked] == [1]


def test_a_planner_is_run_as_a_program_and_leaves_quietly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = "import sys; print(__name__, sys.argv[1:]); raise BrokenPipeError"
    (tmp_path / "planner_of_ours.py").write_text(program)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "argv", ["planner_of_ours", "given"])
    run("planner_of_ours")
    assert capsys.readouterr().out == "__main__ ['given']\n"
