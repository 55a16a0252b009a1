from __future__ import annotations

import os
import resource
import shutil
import socket
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from penstock.cli import machine as module
from penstock.cli.machine import examine_machine
from penstock.errors import NoJava
from penstock.messaging.doctor import Severity
from penstock.pipelines import session

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.messaging.doctor import Finding


def found(folder: Path, **ports: int) -> dict[str, Finding]:
    return {each.subject.split(" ")[0]: each for each in examine_machine(folder, ports)}


def test_a_machine_with_everything_has_nothing_in_its_way(tmp_path: Path) -> None:
    told = found(tmp_path / "not" / "there" / "yet")
    assert told["disk"].severity is Severity.NOTE
    assert str(tmp_path) in told["disk"].subject
    assert told["spark"].text == "everything that it needs is installed"
    assert "Java" in told


def test_a_port_that_is_taken_is_a_risk(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        assert found(tmp_path, amqp=somebody.getsockname()[1])["port"].severity is Severity.RISK
    assert found(tmp_path, amqp=somebody_free())["port"].text == "free"


def somebody_free() -> int:
    with socket.socket() as tried:
        tried.bind(("127.0.0.1", 0))
        port: int = tried.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("free", "severity"),
    [(10_000_000, Severity.REFUSED), (500_000_000, Severity.RISK), (1e12, Severity.NOTE)],
)
def test_a_full_disk_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: float, severity: Severity
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert found(tmp_path)["disk"].severity is severity


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert found(tmp_path)["folder"].severity is Severity.REFUSED


def test_few_open_files_are_a_risk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, 1024))
    assert "each connection is one" in found(tmp_path)["open"].text
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1024, -1))
    assert found(tmp_path)["open"].severity is Severity.NOTE


def test_what_is_not_installed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "missing", lambda part: f"no {part}")
    told = found(tmp_path)
    assert (told["spark"].severity, told["spark"].text) == (Severity.RISK, "no spark")
    assert "Java" not in told


def test_no_java_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def archive_here() -> None:
        raise NoJava("there is no Java")

    monkeypatch.setattr(session, "archive_here", archive_here)
    assert found(tmp_path)["Java"].text == "there is no Java"
