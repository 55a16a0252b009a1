"""What the commands say before Spark is needed; what they do with it is in tests/pipelines."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.pipelines.tables import Location
from tests.pipelines.tables.helpers import append, spark_json

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["event-log", *arguments], env={"COLUMNS": "200", "MQ_URL": None})
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.parametrize(
    ("arguments", "told", "code"),
    [
        (["show"], "penstock: there is no event log at", 1),
        (["tidy"], "penstock: there is no event log at", 1),
        (["sql", "SELECT 1"], "penstock: there is no event log at", 1),
        (["run"], "penstock: from which queue? Say --queue", 2),
        (["run", "--queue", "q", "--every", "often"], "penstock: every: 'often' is", 2),
        (["run", "--queue", "q"], "penstock: which broker?", 2),
        (["run", "--queue", "q", "--url", "amqp://127.0.0.1:1/"], "penstock: pipeline event-log-events:", 1),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path: Path, arguments: list[str], told: str, code: int) -> None:
    output = run(*arguments[:1], "--log", str(tmp_path), *arguments[1:], code=code)
    assert output.startswith(told)
    assert output.count("\n") == 1


def filed(folder: Path) -> Location:
    place = Location(str(folder / "events"))
    schema = spark_json(message_id="string", day="date", type="string")
    for number in range(2):
        row = {"message_id": str(number), "day": date(2026, 1, 31), "type": "OrderPlaced"}
        append(place, schema, [row], partition_by=["day", "type"])
    return place


def test_a_log_is_shown_and_tidied(tmp_path: Path) -> None:
    place = filed(tmp_path)
    assert run("show", "--log", str(tmp_path)) == "day\ttype\tevents\n2026-01-31\tOrderPlaced\t2\n"
    told = run("tidy", "--log", str(tmp_path), "--keep", "36500d")
    assert told == "events: 2 files became 1, 0 rows were too old, 0 files that nobody needs are gone\n"
    assert len(place.table().file_uris()) == 1
    assert run("tidy", "--log", str(tmp_path), "--keep", "long", code=2).startswith(
        "penstock: keep: 'long' is"
    )


def test_a_log_of_lives_alone_is_shown_and_tidied(tmp_path: Path) -> None:
    schema = spark_json(id="string", day="date", step="string")
    row = {"id": "1", "day": date(2026, 1, 31), "step": "acked"}
    append(Location(str(tmp_path / "lives")), schema, [row], partition_by=["day", "step"])
    assert run("show", "--log", str(tmp_path)) == "day\tstep\tmessages\n2026-01-31\tacked\t1\n"
    assert run("tidy", "--log", str(tmp_path)).startswith("lives: ")


def test_a_program_is_told_the_same(tmp_path: Path) -> None:
    filed(tmp_path)
    shown = json.loads(run("show", "--log", str(tmp_path), "--json"))
    assert shown == {"events": [{"day": "2026-01-31", "type": "OrderPlaced", "events": 2}]}
    tidied = json.loads(run("tidy", "--log", str(tmp_path), "--keep", "36500d", "--json"))
    assert tidied == {"events": {"gathered": 2, "made": 1, "expired": 0, "removed": 0}}
