from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.cli import up_programs as module
from penstock.cli.ports import HeldPort
from penstock.cli.sample.waterworks import database_file
from penstock.cli.up_folder import UpFolder
from penstock.cli.up_programs import (
    Places,
    broker_program,
    gateway_program,
    sample_program,
    spark_program,
    worker_program,
)
from penstock.did.domain.folder import DataFolder
from penstock.did.domain.founding import words_of
from penstock.settings import load

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.cli.supervising import Program

PORTS = {"amqp": 5672, "beanstalk": 11300, "websocket": 15674, "panel": 15673}
PLACES = Places(**{name: HeldPort(port=port, sockets=()) for name, port in PORTS.items()})


@pytest.fixture
def folder(tmp_path: Path) -> UpFolder:
    return UpFolder(tmp_path)


def words(program: Program) -> list[str]:
    """What follows `python -m penstock`."""
    return list(program.arguments[3:])


def test_all_places_are_told() -> None:
    assert PLACES.shown() == {
        "panel": "http://localhost:15673/",
        "amqp": "amqp://guest:guest@localhost:5672/",
        "beanstalk": "beanstalk://localhost:11300",
        "websocket": "ws://localhost:15674/ws",
    }


def test_the_broker_listens_everywhere_and_has_the_panel_if_it_can(
    folder: UpFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = words(broker_program(folder, PLACES, with_sample=False, with_did=False))
    assert told[:3] == ["broker", "--data", str(folder.broker)]
    assert told[-2:] == ["--panel", "localhost:15673"]
    monkeypatch.setattr(module, "missing", lambda _: "starlette is not installed")
    assert "--panel" not in words(broker_program(folder, PLACES, with_sample=False, with_did=False))


def test_the_panel_is_told_of_what_runs_beside_it(folder: UpFolder) -> None:
    alone = broker_program(folder, PLACES, with_sample=False, with_did=False).environment
    every = broker_program(folder, PLACES, with_sample=True, with_did=True)
    assert sorted(every.environment.keys() - alone.keys()) == [
        "PENSTOCK_PANEL_DID",
    ]
    assert sorted(name for name in alone if name.startswith("PENSTOCK_PANEL")) == [
        "PENSTOCK_PANEL_DEAD_LETTERS",
        "PENSTOCK_PANEL_OUTBOX",
        "PENSTOCK_PANEL_PIPELINES",
        "PENSTOCK_PANEL_SCHEDULES",
        "PENSTOCK_PANEL_TOPOLOGY",
    ]
    assert every.environment["PENSTOCK_PANEL_OUTBOX"] == f"sqlite:///{database_file(folder.sample)}"
    assert every.environment["PENSTOCK_PANEL_DID"] == DataFolder(folder.did).database(words_of(1)[0])
    # All of them are settings.
    told = {name: value for name, value in every.environment.items() if name.startswith("PENSTOCK_PANEL")}
    assert load(environ=told).panel_pipelines == folder.pipelines


def test_the_gateway_is_the_waterworks_or_asks_for_tokens(folder: UpFolder) -> None:
    assert "penstock.cli.sample.live:policy" in words(gateway_program(folder, PLACES, with_sample=True))
    alone = words(gateway_program(folder, PLACES, with_sample=False))
    assert alone[alone.index("--secret") + 1] == str(folder.gateway_secret())


def test_the_waterworks_has_dids_where_there_is_a_domain(folder: UpFolder) -> None:
    assert "--did" not in words(sample_program(folder, PLACES, None, is_at_rest=False))
    told = words(sample_program(folder, PLACES, "http://d", is_at_rest=False))
    assert told[-2:] == ["--did", "http://d"]


def test_a_waterworks_at_rest_is_told_so(folder: UpFolder) -> None:
    assert words(sample_program(folder, PLACES, None, is_at_rest=True))[-2:] == ["--rate", "0"]


def test_passwords_go_in_the_environment_and_every_program_ends_with_us(folder: UpFolder) -> None:
    programs = [
        broker_program(folder, PLACES, with_sample=True, with_did=True),
        gateway_program(folder, PLACES, with_sample=True),
        sample_program(folder, PLACES, None, is_at_rest=False),
        worker_program(folder, PLACES),
        spark_program(folder, PLACES, "local[2]"),
    ]
    assert len({program.name for program in programs}) == 5
    for program in programs:
        assert program.environment["PENSTOCK_CHILD"] == "1"
        assert not [word for word in program.arguments if "guest" in word]
        assert program.log == folder.log(program.name)
    assert all(program.environment["MQ_URL"] == PLACES.broker_url for program in programs[1:])
    assert programs[3].environment["PENSTOCK_SCHEDULES"] == folder.database
    assert programs[4].environment["PENSTOCK_SAMPLE"] == folder.database
