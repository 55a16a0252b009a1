from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.cli.sample import load

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    def run_load(folder: Path, url: str, **more: Any) -> None:
        found.append({"folder": folder, "url": url, **more})
        more["tell_ready"]()

    monkeypatch.setattr(load, "run_load", run_load)
    return found


def test_the_waterworks_is_told_where_everything_is(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    arguments = ["sample", "--url", "amqp://b/", "--data", str(tmp_path), "--rate", "2"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert result.stdout == "penstock is ready: the waterworks is at work\n"
    [told] = ran
    assert (told["folder"], told["url"], told["rate"], told["registry"]) == (tmp_path, "amqp://b/", 2.0, None)


def test_without_moments_it_is_at_rest(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["sample", "--data", str(tmp_path), "--rate", "0"])
    assert result.stdout == "penstock is ready: the waterworks is at rest\n"
    assert ran[0]["rate"] == 0.0


def test_with_a_domain_it_has_a_wallet(ran: list[dict[str, Any]], tmp_path: Path) -> None:
    CliRunner().invoke(app, ["sample", "--data", str(tmp_path), "--did", "http://d"])
    assert ran[0]["registry"]._wallets.path == tmp_path / "wallet"


def test_nobody_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQ_CONNECT_MAX_RETRIES", "0")
    result = CliRunner().invoke(app, ["sample", "--url", "rubbish", "--data", str(tmp_path)])
    assert result.exit_code == 1
    assert result.stderr.startswith("penstock: ")
