from __future__ import annotations

import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli import broker as module
from penstock.cli.app import app
from penstock.errors import CannotListen
from penstock.settings import OPTIONS, Address, Settings

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """The settings with which a broker would have run."""
    found: list[Settings] = []
    monkeypatch.setitem(sys.modules, "penstock.server.main", SimpleNamespace(serve=found.append))
    monkeypatch.setattr(module, "set_up", lambda settings: None)
    for variable in [name for name in os.environ if name.startswith("PENSTOCK_")]:
        monkeypatch.delenv(variable)
    return found


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["broker", *arguments], env={"COLUMNS": "200"})
    return result.exit_code, result.output


def test_without_options_every_setting_is_the_default(served: list[Settings]) -> None:
    assert run() == (0, "")
    assert served == [Settings()]


def test_options_are_settings(served: list[Settings], tmp_path: Path) -> None:
    run(
        "--data",
        str(tmp_path),
        "--amqp",
        ":1",
        "--amqp",
        ":2,:3",
        "--memory-limit",
        "40%",
        "--max-queues",
        "none",
    )
    (settings,) = served
    assert settings.data == tmp_path
    assert settings.amqp == (Address("", 1), Address("", 2), Address("", 3))
    assert (settings.memory_limit, settings.max_queues) == (0.4, None)


def test_file_then_environment_then_command_line(
    served: list[Settings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "penstock.toml"
    file.write_text("heartbeat = 10\nchannel_max = 10\nmax_queues = 10\n")
    monkeypatch.setenv("PENSTOCK_CHANNEL_MAX", "20")
    monkeypatch.setenv("PENSTOCK_MAX_QUEUES", "20")
    run("--config", str(file), "--max-queues", "30")
    (settings,) = served
    assert (settings.heartbeat, settings.channel_max, settings.max_queues) == (10, 20, 30)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--heartbeat", "x"], "penstock: heartbeat (--heartbeat): 'x' is not a duration like"),
        (["--config", "/no/such.toml"], "penstock: cannot read the settings file /no/such.toml"),
        (["--amqps", ":5671"], "penstock: amqps needs amqps_certificate"),
    ],
)
def test_a_bad_setting_is_one_line_and_exit_code_2(
    served: list[Settings], arguments: list[str], told: str
) -> None:
    code, output = run(*arguments)
    assert (code, output.count("\n")) == (2, 1)
    assert output.startswith(told)
    assert served == []


def test_an_unknown_option_is_exit_code_2(served: list[Settings]) -> None:
    code, output = run("--hartbeat", "5")
    assert code == 2
    assert "No such option: --hartbeat" in output


def test_a_panel_is_served_beside_the_broker_where_it_is_asked_for(
    served: list[Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    beside: list[Any] = []
    monkeypatch.setattr(sys.modules["penstock.server.main"], "serve", lambda _, opens: beside.append(opens))
    assert run("--panel", "127.0.0.1:0") == (0, "")
    assert callable(beside[0])


def test_a_panel_without_its_libraries_is_told_what_it_needs(
    served: list[Settings], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith(("penstock.panel", "penstock.bootstrap"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, output = run("--panel", "127.0.0.1:0")
    assert (code, "the panel needs uvicorn: pip install 'penstock[panel]'" in output) == (1, True), output


def test_a_port_in_use_is_told(served: list[Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    def serve(settings: Settings) -> None:
        raise CannotListen("cannot listen on 127.0.0.1:5672: change amqp", setting="amqp")

    monkeypatch.setattr(sys.modules["penstock.server.main"], "serve", serve)
    assert run() == (2, "penstock: cannot listen on 127.0.0.1:5672: change amqp\n")


@pytest.mark.parametrize("name", OPTIONS)
def test_every_setting_has_its_explanation_in_the_help(name: str) -> None:
    option = OPTIONS[name]
    _, output = run("--help")
    if option.flag is None:
        assert f"--{name.replace('_', '-')} " not in output
    else:
        assert f"{option.flag} " in output
        words = " ".join(output.replace("│", " ").split())
        assert option.help.split(". ")[0].rstrip(".") in words
