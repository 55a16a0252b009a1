from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.cli.did_neighbours import opened_places, service_of
from penstock.did.domain.folder import DataFolder
from penstock.did.domain.parts import create_tables, open_database
from penstock.did.federation.archive import OUTBOX
from penstock.did.federation.grants import Bond, grant
from penstock.did.federation.membership import FOLLOWERS, WITNESSES
from penstock.errors import BadSetting
from tests.did.domain.helpers import places_in

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.did.domain import Places
    from tests.servers.running import Running

A = "https://a.example/services/orb"


def command(folder: Path, *arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["did", arguments[0], f"--data={folder}", *arguments[1:]])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def kept(tmp_path: Path, penstock_server: Running, name: str) -> Places:
    """A domain that was started from the folder, and its broker runs."""
    places = replace(places_in(tmp_path, name), broker=penstock_server.url)
    DataFolder(tmp_path).write(places)
    return places


def test_a_domain_is_asked_where_orb_has_its_service() -> None:
    assert service_of("https://a.example") == "https://a.example/services/orb"


def test_what_is_no_url_of_a_domain_is_refused() -> None:
    with pytest.raises(BadSetting, match="not a URL"):
        service_of("a.example")


def test_which_domain_is_meant_must_be_clear(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    with pytest.raises(BadSetting, match="`penstock did up` first"):
        opened_places(tmp_path, None)
    folder.write(places_in(tmp_path, "orb"))
    assert opened_places(tmp_path, None).word == "orb"
    folder.write(places_in(tmp_path, "orb2"))
    assert opened_places(tmp_path, "orb2").word == "orb2"
    for unclear in (None, "orb3"):
        with pytest.raises(BadSetting, match="--domain orb, --domain orb2"):
            opened_places(tmp_path, unclear)


def test_what_is_asked_for_waits_in_the_outbox_and_can_be_undone(tmp_path: Path, kept: Places) -> None:
    followed = command(tmp_path, "follow", "https://a.example").strip()
    invited = command(tmp_path, "invite", A).strip()
    assert followed.startswith(f"{kept.iris.service}/activities/")
    assert followed != invited
    # Nothing was sent yet, so there is nothing to be undone.
    assert f"{OUTBOX} has no activity" in command(tmp_path, "undo", invited, code=1)


def test_a_broker_that_is_away_is_said_so_at_once(tmp_path: Path) -> None:
    DataFolder(tmp_path).write(places_in(tmp_path))
    [told] = command(tmp_path, "follow", A, code=1).splitlines()
    assert told.startswith("penstock: amqp://")
    assert "127.0.0.1:1" in told
    assert "`penstock did up` starts it" in told


@pytest.fixture
def known(tmp_path: Path) -> None:
    """A domain that has a follower, and has asked twice for a witness."""
    places = places_in(tmp_path)
    DataFolder(tmp_path).write(places)
    database = open_database(places)
    create_tables(database)
    for collection, names in ((FOLLOWERS, ["theirs"]), (WITNESSES, ["first", "second"])):
        for name in names:
            bond = Bond(collection=collection, member=A, asking=name, asker="whoever")
            database.do(grant, bond, 0.0)
    database.close()


@pytest.mark.usefixtures("known")
def test_neighbours_are_listed_by_what_they_are_and_how_that_is_undone(tmp_path: Path) -> None:
    lines = command(tmp_path, "neighbours").splitlines()
    assert [line.split() for line in lines[1:]] == [
        ["followers", A],
        ["witnesses", A, "first"],
        ["witnesses", A, "second"],
    ]


@pytest.mark.usefixtures("known")
def test_a_program_is_told_the_same(tmp_path: Path) -> None:
    assert json.loads(command(tmp_path, "neighbours", "--json")) == [
        {"collection": FOLLOWERS, "service": A, "activities": []},
        {"collection": WITNESSES, "service": A, "activities": ["first", "second"]},
    ]
