"""How domains are put together for a start; that they run is told in tests/federation."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli import did_up as module
from penstock.cli.app import app
from penstock.cli.did_up import Up
from penstock.did.domain import founding
from penstock.did.domain.folder import DataFolder
from penstock.did.domain.founding import first_free
from penstock.did.parameters import DidParameters
from penstock.errors import BadSetting
from tests.servers.running import quiet_ports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.cli.supervising import Program


class Stage:
    """Programs that would have been run."""

    def __init__(self) -> None:
        self.programs: list[Program] = []
        self.stopped = False
        self.error: Exception | None = None
        #: When all of these are started, the signal comes.
        self.last = "orb"

    def start(self, program: Program) -> asyncio.Event:
        self.programs.append(program)
        ready = asyncio.Event()
        ready.set()
        if program.name == self.last and self.error is None:
            asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), signal.SIGTERM)
        return ready

    async def watch(self, until: asyncio.Task[None]) -> None:
        await asyncio.wait({until}, timeout=0.5 if self.error else None)
        if self.error is not None:
            raise self.error

    async def stop(self) -> None:
        self.stopped = True

    @property
    def names(self) -> list[str]:
        return [program.name for program in self.programs]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage()
    monkeypatch.setattr(module, "Supervisor", lambda *_, **__: made)
    monkeypatch.setattr(founding, "FIRST_PORT", quiet_ports())
    for name in ("MQ_URL", "EXTERNAL_ENDPOINT", "HOST_URL", "DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return made


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def command(folder: Path, *arguments: str, code: int = 0) -> list[str]:
    result = CliRunner().invoke(app, ["did", "up", f"--data={folder}", *arguments])
    assert result.exit_code == code, result.output
    return result.output.splitlines()


def test_a_broker_the_domains_and_spark_are_started_in_order(tmp_path: Path, stage: Stage) -> None:
    stage.last = "pipelines"
    said = command(tmp_path, "--domains=2", "--master=local[1]")
    assert stage.names == ["broker", "orb", "orb2", "pipelines"]
    assert stage.stopped
    folder = DataFolder(tmp_path)
    bases = [places.base for word in ("orb", "orb2") if (places := folder.read(word)) is not None]
    assert f"penstock is ready: {' '.join(bases)}" in said
    assert any(line.startswith("Spark is ready after") for line in said)
    assert said[-1] == "stopping"


def test_a_broker_elsewhere_is_used_and_none_is_started(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQ_URL", "amqp://broker.example/")
    command(tmp_path, "--no-pipelines")
    assert stage.names == ["orb"]
    places = DataFolder(tmp_path).read("orb")
    assert places is not None
    assert places.broker == "amqp://broker.example/"


def test_several_processes_may_answer_for_a_domain(tmp_path: Path, stage: Stage) -> None:
    stage.last = "orb-web3"
    command(tmp_path, "--no-pipelines", "--web-processes=3")
    assert stage.names == ["broker", "orb", "orb-web2", "orb-web3"]
    # They share one socket.
    assert len({tuple(program.files) for program in stage.programs[1:]}) == 1


def test_parameters_reach_the_domain(tmp_path: Path, stage: Stage) -> None:
    command(tmp_path, "--no-pipelines", "--max-witness-delay=5m", "--witness-policy=OutOf(1,system)")
    places = DataFolder(tmp_path).read("orb")
    assert places is not None
    assert (places.parameters.max_witness_delay, places.parameters.witness_policy) == (300, "OutOf(1,system)")


def test_ports_that_are_taken_are_told(
    tmp_path: Path, stage: Stage, opened: ExitStack, capsys: pytest.CaptureFixture[str]
) -> None:
    somebody, _ = first_free(founding.FIRST_PORT)
    opened.callback(somebody.close)
    [domain] = Up(DataFolder(tmp_path), master="").founded(1, DidParameters(mq_url="amqp://b/"), opened)
    assert "taken: orb is http://127.0.0.1:" in capsys.readouterr().out
    assert domain.places.base.rpartition(":")[2] != str(somebody.getsockname()[1])


@pytest.mark.parametrize(
    ("taken", "told"), [([8326], "port 8326 is"), ([8326, 8327, 8328], "ports 8326 to 8328 are")]
)
def test_one_port_and_several_are_told_apart(taken: list[int], told: str) -> None:
    assert module._ports(taken) == told


def test_a_process_that_cannot_run_ends_all_with_its_reason(tmp_path: Path, stage: Stage) -> None:
    stage.error = BadSetting("orb: no such database", setting="")
    said = command(tmp_path, "--no-pipelines", code=2)
    assert "penstock: orb: no such database" in said
    assert stage.stopped


def test_mistakes_are_told_before_anything_starts(
    tmp_path: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "is not a duration" in command(tmp_path, "--max-witness-delay=long", code=2)[-1]
    assert "is one domain's" in command(tmp_path, "--domains=2", "--external-endpoint=a.example", code=2)[-1]
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    assert "Spark is not installed" in command(tmp_path, code=1)[-1]
    with DataFolder(tmp_path).held():
        assert "run by another process" in command(tmp_path, "--no-pipelines", code=2)[-1]
    assert stage.programs == []


def test_what_it_does_is_found_in_its_help() -> None:
    told: Any = CliRunner().invoke(app, ["did", "up", "--help"], env={"COLUMNS": "200"})
    assert "--domains" in told.output
    assert "--batch-writer-timeout" in told.output
