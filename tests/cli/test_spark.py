from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.pipelines import archive as archive_module
from penstock.pipelines import java as java_module
from penstock.pipelines import session as session_module

if TYPE_CHECKING:
    from typer.testing import Result


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["spark", *arguments])


class Answering:
    """A session without Spark: what is asked of it is written down."""

    asked: list[str]

    def __init__(self, name: str, master: str = "local[*]", **options: object) -> None:
        self.asked = [name, master]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.asked.append("stopped")

    def range(self, rows: int) -> Answering:
        return self

    def selectExpr(self, expression: str) -> Answering:  # noqa: N802 (pyspark calls it so)
        return self

    def collect(self) -> list[object]:
        return []


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with an empty cache and a Java of its own."""
    home = tmp_path / "jdk"
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\n")
    (home / "bin" / "java").chmod(0o755)
    (home / "release").write_text('JAVA_VERSION="21.0.9"\n')
    monkeypatch.setenv("JAVA_HOME", str(home))
    monkeypatch.setenv("PENSTOCK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(session_module, "open_session", Answering)
    return tmp_path


def test_a_check_tells_what_spark_runs_on_and_how_long_it_took(machine: Path) -> None:
    result = run("check")
    spark, java, archive, times = result.output.splitlines()
    assert result.exit_code == 0
    assert spark.startswith("Spark 4.")
    assert java == f"Java 21.0.9 of JAVA_HOME ({machine}/jdk/bin/java)"
    assert archive.startswith("No class-data archive: 'penstock spark archive' makes one")
    assert times.startswith("Session after 0.0 s, first answer after 0.0 s")


def test_without_a_java_a_check_says_so_in_one_line(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(machine / "nowhere"))
    monkeypatch.setenv("PATH", str(machine))
    monkeypatch.setattr(java_module, "_home_by_package", lambda: None)
    result = run("check")
    assert result.exit_code == 1
    assert result.output.startswith("penstock: Spark needs Java 17 or newer: ")
    assert len(result.output.splitlines()) == 1


def test_an_archive_is_made_shown_and_removed(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(archive: archive_module.Archive, train: object) -> None:
        archive.folder.mkdir(parents=True, exist_ok=True)
        archive.path.write_bytes(bytes(2_000_000))

    monkeypatch.setattr(archive_module.Archive, "make", make)
    made = run("archive")
    assert (made.exit_code, made.output.splitlines()[-1][:29]) == (0, "Class-data archive of 2 MB (/")
    assert "Class-data archive of 2 MB" in run("check").output
    assert run("archive", "--remove").output == "Removed.\n"
    assert run("archive", "--remove").output == "There was none.\n"
    told = json.loads(run("archive", "--json").stdout)
    assert (told["bytes"], Path(told["archive"]).exists()) == (2_000_000, True)
    assert json.loads(run("archive", "--remove", "--json").stdout) == {"removed": True}
    assert json.loads(run("check", "--json").stdout)["archive"] is None
