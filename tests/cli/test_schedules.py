from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.clock import SystemClock
from penstock.workers import Cron, Scheduled, Schedules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Schedules]:
    schedules = Schedules(f"sqlite:///{tmp_path / 'schedules.db'}")
    schedules.create()
    due = SystemClock().now() + 3600
    schedules.put(Scheduled(key="fleet 7", job="j1", due_at=due, queue="bg", body=b'{"a":1}', priority=5))
    schedules.follow({"nightly": Cron("0 3 * * *")}, SystemClock().now())
    yield schedules
    schedules.close()


def command(kept: Schedules, tmp_path: Path, *arguments: str, code: int = 0) -> str:
    environment = {"PENSTOCK_SCHEDULES": f"sqlite:///{tmp_path / 'schedules.db'}"}
    result = CliRunner().invoke(app, ["schedules", *arguments], env=environment)
    assert result.exit_code == code, result.output
    return result.output


def test_what_waits_is_listed(kept: Schedules, tmp_path: Path) -> None:
    found = {each["key"]: each for each in json.loads(command(kept, tmp_path, "list", "--json"))}
    assert found["fleet 7"]["kind"] == "job"
    assert (found["fleet 7"]["queue"], found["fleet 7"]["says"]) == ("bg", '{"a":1}')
    assert found["nightly"]["says"] == "0 3 * * * (UTC)"
    assert command(kept, tmp_path, "list", "--limit", "1").count("\n") == 2


def test_a_job_is_cancelled_once(kept: Schedules, tmp_path: Path) -> None:
    assert command(kept, tmp_path, "cancel", "fleet 7") == "fleet 7 is cancelled\n"
    assert kept.find("fleet 7") is None
    assert "no job waits" in command(kept, tmp_path, "cancel", "fleet 7", code=1)


def test_a_job_is_made_due_now(kept: Schedules, tmp_path: Path) -> None:
    assert json.loads(command(kept, tmp_path, "run", "fleet 7", "--json")) == {"key": "fleet 7", "done": True}
    job = kept.find("fleet 7")
    assert job is not None
    assert job.due_at <= SystemClock().now()
    command(kept, tmp_path, "run", "fleet 8", code=1)


def test_the_database_must_be_named() -> None:
    result = CliRunner().invoke(app, ["schedules", "list"], env={"PENSTOCK_SCHEDULES": None})
    assert result.exit_code == 2
    assert "--schedules" in result.output
