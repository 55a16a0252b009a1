"""What is started when, and what is told; that it runs is told in tests/test_run.py."""

from __future__ import annotations

import asyncio
import os
import signal
import webbrowser
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from penstock.cli import up_running as module
from penstock.cli.ports import HeldPort
from penstock.cli.up_folder import UpFolder
from penstock.cli.up_programs import Places
from penstock.cli.up_running import Up, Wishes
from penstock.did.domain import founding
from penstock.errors import BadSetting
from tests.servers.running import quiet_ports

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.cli.supervising import Program

PORTS = {"amqp": 5672, "beanstalk": 11300, "websocket": 15674, "panel": 15672}
PLACES = Places(**{name: HeldPort(port=port, sockets=()) for name, port in PORTS.items()})
ALL = Wishes(sample=True, did=True, master="local[1]")
ALWAYS = ["broker", "gateway", "waterworks"]


class Stage:
    """Programs that would have been run; when everything is up, the signal comes."""

    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.stopped: list[int | None] = []
        self.error: Exception | None = None
        self.never_ready = ""

    def start(self, program: Program) -> asyncio.Event:
        self.programs.append(program)
        ready = asyncio.Event()
        if program.name != self.never_ready:
            ready.set()
        return ready

    async def watch(self, until: asyncio.Task[None]) -> None:
        if self.error is not None:
            raise self.error
        await asyncio.wait({until})
        if not until.cancelled():
            until.result()

    async def stop(self, *, one_by_one: int | None = None) -> None:
        self.stopped.append(one_by_one)

    @property
    def names(self) -> list[str]:
        return [program.name for program in self.programs]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage()
    monkeypatch.setattr(module, "Supervisor", lambda *_, **__: made)
    monkeypatch.setattr(founding, "FIRST_PORT", quiet_ports())
    return made


def run(
    folder: Path, wishes: Wishes, monkeypatch: pytest.MonkeyPatch, *, until: str = "everything is up"
) -> list[str]:
    """Everything from its start to the signal that comes when something is said; what was said."""
    said: list[str] = []

    def tell(line: str) -> None:
        said.append(line)
        if line.startswith(until):
            asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(module, "_tell", tell)
    with ExitStack() as opened:
        up = UpFolder(folder)
        opened.enter_context(up.held())
        asyncio.run(Up(up, PLACES, wishes, opened).run())
    return said


def test_the_broker_comes_first_and_goes_last(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = run(tmp_path, ALL, monkeypatch)
    assert stage.names == ["broker", "gateway", "did", "waterworks", "worker", "spark"]
    assert said[0] == "penstock is ready: http://localhost:15672/ (user guest, password guest)"
    assert any(line.startswith("Spark is ready after") for line in said)
    assert said[-2].startswith("stopping")
    assert said[-1] == "stopped"
    assert stage.stopped == [1]


def test_one_spark_serves_the_domain_and_the_waterworks(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, ALL, monkeypatch)
    spark = stage.programs[-1]
    assert spark.arguments[3:] == ["did", "run", "pipelines", "spark"]
    assert spark.environment["PENSTOCK_SAMPLE"].endswith("waterworks.db")
    assert '"with_sample":true' in spark.environment["PENSTOCK_DID_ORDER"]


@pytest.mark.parametrize(
    ("wishes", "names"),
    [
        (Wishes(sample=True, did=False, master=""), [*ALWAYS, "worker"]),
        (Wishes(sample=True, did=False, master="m"), [*ALWAYS, "worker", "spark"]),
        (Wishes(sample=True, did=True, master=""), ["broker", "gateway", "did", "waterworks", "worker"]),
    ],
)
def test_what_is_not_wanted_is_left_out(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch, wishes: Wishes, names: list[str]
) -> None:
    run(tmp_path, wishes, monkeypatch)
    assert stage.names == names


def test_without_the_sample_load_all_the_same_runs_and_the_waterworks_rests(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, Wishes(sample=False, did=True, master="local[1]"), monkeypatch)
    assert stage.names == ["broker", "gateway", "did", "waterworks", "worker", "spark"]
    [waterworks] = [program for program in stage.programs if program.name == "waterworks"]
    assert list(waterworks.arguments[-2:]) == ["--rate", "0"]


def test_one_that_never_gets_ready_hides_nobody(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.never_ready = "gateway"
    said = run(tmp_path, ALL, monkeypatch, until="Spark is ready")
    assert "Spark is starting" in capsys.readouterr().err
    assert any(line.startswith("worker is ready") for line in said)
    assert not any(line.startswith(("gateway", "everything")) for line in said)


def test_what_is_not_installed_is_told_and_the_rest_goes_on(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "missing", lambda part: f"what {part} needs is not installed")
    said = run(tmp_path, ALL, monkeypatch)
    assert stage.names == ["broker", "waterworks", "worker"]
    for part in ("panel", "websocket", "did", "spark"):
        assert f"no {part}: what {part} needs is not installed" in said
    assert "penstock is ready: amqp://guest:guest@localhost:5672/" in said


def test_a_browser_is_opened_if_asked(tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(webbrowser, "open", seen.append)
    run(tmp_path, Wishes(sample=False, did=False, master="", open_panel=True), monkeypatch)
    assert seen == ["http://localhost:15672/"]


def test_a_program_that_cannot_run_ends_all(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.error = BadSetting("broker: no such folder", setting="")
    with pytest.raises(BadSetting, match="no such folder"):
        run(tmp_path, ALL, monkeypatch)
    assert stage.stopped == [1]
