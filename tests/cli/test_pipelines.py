"""What needs no Spark here; `run` is tested with real processes (tests/faults/test_pipelines.py)."""

from __future__ import annotations

import json
import sys
import uuid
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.pipelines import session
from penstock.pipelines.declared import supervising
from penstock.pipelines.declared.place import Place
from penstock.pipelines.declared.progress import Metrics
from penstock.pipelines.declared.status import State, Status, write_status

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.pipelines.declared import Pipelines

MODULE = """
from penstock.pipelines.declared import Delta, Parquet, Pipelines, Queue, Rate, pipeline

@pipeline("threads", source=Queue("threads"), sink=Delta("tables/threads", key="message_id"), trigger="5s")
def threads(rows):
    return rows

@pipeline("counted", source=Rate(), sink=Parquet("counted"))
def counted(rows):
    return rows

some = Pipelines([counted])
"""


class Desk:
    """A module that declares pipelines in the working directory, and the commands on it."""

    def __init__(self, folder: Path, module: str) -> None:
        self.module = module
        self.threads = Place(folder / "data", "threads")

    def run(self, verb: str, *arguments: str, code: int = 0, given: str | None = None) -> str:
        result = CliRunner().invoke(app, ["pipelines", verb, *arguments], input=given)
        assert result.exit_code == code, result.output
        return result.output


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    module = f"module_{uuid.uuid4().hex}"
    (tmp_path / f"{module}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield Desk(tmp_path, module)
    sys.modules.pop(module, None)


def test_list_shows_where_rows_come_from_and_go_to(desk: Desk) -> None:
    assert desk.run("list", desk.module).splitlines() == [
        "PIPELINE  SOURCE         SINK                  TRIGGER",
        "threads   queue threads  delta tables/threads  every 5s",
        "counted   rate of 10     parquet counted       at once",
    ]


@pytest.mark.parametrize("name", ["counted", "some"])
def test_a_name_of_the_module_stands_for_a_pipeline_or_for_some(desk: Desk, name: str) -> None:
    [_, line] = desk.run("list", f"{desk.module}:{name}").splitlines()
    assert line.startswith("counted ")


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("json", "json declares no pipelines"),
        ("no_such_module", "there is no module 'no_such_module'"),
        ("{module}:thread", "has no pipelines 'thread'; there is threads, counted, some"),
    ],
)
def test_what_is_not_there_is_told(desk: Desk, target: str, told: str) -> None:
    assert told in desk.run("list", target.format(module=desk.module), code=2)


def test_an_unknown_pipeline_is_told_with_the_nearest(desk: Desk) -> None:
    assert "did you mean threads?" in desk.run("status", desk.module, "thread", code=1)


def test_status_shows_what_a_running_process_told(desk: Desk) -> None:
    numbers = Metrics(rows=70, rows_per_second=12.34, lag=5, failures=1, set_aside=2)
    told = Status(
        pipeline="threads",
        state=State.RUNNING,
        batch=3,
        metrics=numbers,
        error="no title",
        at=1_794_800_000.0,
    )
    with desk.threads.held():
        write_status(desk.threads, told)
        shown = desk.run("status", desk.module, "--data", "data").splitlines()
        assert [line.split("  ")[0] for line in shown] == ["PIPELINE", "threads", "counted"]
        cells = [cell.strip() for cell in shown[1].split("  ") if cell]
        assert cells == [
            *["threads", "running", "3", "70", "12.3", "5", "1", "2", "2026-11-16 03:33:20", "no title"]
        ]
        assert "never run" in shown[2]
        [fields] = json.loads(desk.run("status", desk.module, "threads", "--data", "data", "--json"))
        assert fields == told.as_fields()


def test_reset_says_what_it_means_and_asks(desk: Desk) -> None:
    offsets = desk.threads.checkpoint / "offsets"
    offsets.mkdir(parents=True)
    said = desk.run("reset", desk.module, "threads", "--data", "data", given="n\n", code=1)
    assert "it begins with what the broker has not seen committed" in said
    assert "And tables/threads knows rows that come again by their message_id, and leaves them out." in said
    assert offsets.exists()
    assert "done" in desk.run("reset", desk.module, "threads", "--data", "data", "--yes")
    assert not desk.threads.checkpoint.exists()


def test_a_pipeline_that_runs_is_not_reset(desk: Desk) -> None:
    with desk.threads.held():
        said = desk.run("reset", desk.module, "threads", "--data", "data", "--yes", code=1)
    assert "pipeline threads is run by another process" in said


def test_a_setting_of_sparks_has_a_value(desk: Desk) -> None:
    said = desk.run("run", desk.module, "counted", "--data", "data", "--conf", "spark.x", code=2)
    assert "--conf spark.x: a setting is written NAME=VALUE" in said


def test_a_program_is_told_the_same(desk: Desk) -> None:
    [threads, counted] = json.loads(desk.run("list", desk.module, "--json"))
    assert threads == {
        "pipeline": "threads",
        "source": "queue threads",
        "sink": "delta tables/threads",
        "trigger": "every 5s",
    }
    assert counted["trigger"] == "at once"
    said = CliRunner().invoke(app, ["pipelines", "reset", desk.module, "threads", "--yes", "--json"])
    assert json.loads(said.stdout) == {"reset": "threads"}


@pytest.mark.parametrize(("state", "code"), [("done", 0), ("failed", 1)])
def test_a_program_is_told_how_a_run_ended(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, state: str, code: int
) -> None:
    class Ended:
        """A supervisor whose pipelines have ended before it looked."""

        def __init__(self, chosen: Pipelines, *_: object, **__: object) -> None:
            self._chosen = chosen

        def run(self) -> dict[str, str]:
            return {each.name: state for each in self._chosen}

        def stop(self) -> None:
            """Nothing runs."""

    monkeypatch.setattr(session, "open_session", lambda *_, **__: nullcontext())
    monkeypatch.setattr(supervising, "Supervisor", Ended)
    result = CliRunner().invoke(app, ["pipelines", "run", desk.module, "counted", "--once", "--json"])
    assert (result.exit_code, json.loads(result.stdout)) == (code, {"counted": state})
    assert "penstock is ready: counted" in result.stderr
