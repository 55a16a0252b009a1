from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from typer.testing import CliRunner

from penstock.cli.did_parameters import given_parameters, with_parameters
from penstock.did.parameter_sources import load_parameters
from penstock.did.parameters import PARAMETERS, flag_of

if TYPE_CHECKING:
    from pathlib import Path


def invoked(*arguments: str) -> dict[str, Any]:
    """What a command with all parameters is given."""
    found: dict[str, Any] = {}
    app = typer.Typer()

    @app.command()
    @with_parameters
    def command(*, own: int = 1, given: dict[str, Any]) -> None:
        """Take them."""
        flags, config = given_parameters(given)
        found.update(own=own, flags=flags, config=config)

    result = CliRunner().invoke(app, arguments, env={"COLUMNS": "500"})
    assert result.exit_code == 0, result.output
    found["shown"] = result.output
    return found


def test_every_parameter_is_an_option_with_its_explanation() -> None:
    shown = invoked("--help")["shown"]
    assert [name for name in PARAMETERS if flag_of(name) not in shown] == []
    assert "--own" in shown
    assert PARAMETERS["batch_writer_timeout"].help in shown


def test_what_is_given_is_read_as_a_parameter() -> None:
    found = invoked(
        "--own",
        "3",
        "--max-witness-delay",
        "5m",
        "--follow",
        "https://a.example",
        "--follow",
        "https://b.example",
    )
    parameters = load_parameters(flags=found["flags"], config=found["config"])
    assert found["own"] == 3
    assert parameters.max_witness_delay == 300
    assert parameters.follow == ("https://a.example", "https://b.example")
    assert parameters.max_clock_skew == 60


def test_orbs_other_names_are_understood() -> None:
    assert invoked("--mq-op-pool", "7")["flags"]["op_queue_pool"] == "7"


def test_a_file_may_be_named(tmp_path: Path) -> None:
    file = tmp_path / "orb.toml"
    file.write_text('batch-writer-timeout = "2s"\n')
    found = invoked("--config", str(file), "--op-queue-pool", "9")
    parameters = load_parameters(flags=found["flags"], config=found["config"])
    assert (parameters.batch_writer_timeout, parameters.op_queue_pool) == (2000, 9)
