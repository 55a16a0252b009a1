from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli import up as module
from penstock.cli.app import app
from penstock.cli.up_folder import UpFolder

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.cli.up_programs import Places
    from penstock.cli.up_running import Wishes


class Staged:
    """What would have been run."""

    ran: list[tuple[UpFolder, Places, Wishes]]

    def __init__(self, folder: UpFolder, places: Places, wishes: Wishes, _opened: Any) -> None:
        type(self).ran.append((folder, places, wishes))

    async def run(self) -> None:
        """Nothing runs."""


@pytest.fixture
def staged(monkeypatch: pytest.MonkeyPatch) -> type[Staged]:
    Staged.ran = []
    monkeypatch.setattr(module, "Up", Staged)
    return Staged


def command(folder: Path, *arguments: str, code: int = 0) -> list[str]:
    result = CliRunner().invoke(app, ["up", f"--data={folder}", *arguments])
    assert result.exit_code == code, result.output
    return result.output.splitlines()


def test_everything_runs_unless_told_otherwise(tmp_path: Path, staged: type[Staged]) -> None:
    command(tmp_path)
    command(tmp_path, "--no-sample", "--no-did", "--no-spark", "--open")
    [(folder, places, all_), (_, _, none)] = staged.ran
    assert folder.path == tmp_path
    assert len({places.amqp.port, places.beanstalk.port, places.websocket.port, places.panel.port}) == 4
    assert (all_.sample, all_.did, all_.master, all_.open_panel) == (True, True, "local[*,4]", False)
    assert (none.sample, none.did, none.master, none.open_panel) == (False, False, "", True)


def test_a_port_that_is_taken_is_passed_over_and_told(
    tmp_path: Path, staged: type[Staged], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        port = somebody.getsockname()[1]
        monkeypatch.setitem(module.PORTS, "amqp", port)
        said = command(tmp_path)
    [(_, places, _)] = staged.ran
    assert any(f"port {port} is taken" in line or f"ports {port} to" in line for line in said)
    assert any(line.endswith(f"amqp is {places.amqp.port}") for line in said)


def test_a_second_start_is_told_of_the_first(tmp_path: Path, staged: type[Staged]) -> None:
    with UpFolder(tmp_path).held():
        [line] = command(tmp_path, code=2)
    assert "penstock is up already" in line
    assert staged.ran == []
