from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.did.domain.folder import DataFolder
from penstock.errors import BadSetting
from tests.did.domain.helpers import places_in

if TYPE_CHECKING:
    from pathlib import Path


def test_places_are_found_again_and_are_the_owners_alone(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    assert folder.read("orb") is None
    assert folder.words() == []
    for word in ("orb", "orb2"):
        folder.write(places_in(tmp_path, word))
    folder.write(places_in(tmp_path, "orb", max_clock_skew="5s"))
    found = folder.read("orb")
    assert found is not None
    assert found.parameters.max_clock_skew == 5
    assert folder.words() == ["orb", "orb2"]
    assert (tmp_path / "orb" / "places.json").stat().st_mode & 0o777 == 0o600


def test_damaged_places_are_said_so(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.write(places_in(tmp_path))
    (tmp_path / "orb" / "places.json").write_text("{")
    with pytest.raises(BadSetting, match="no places of a domain"):
        folder.read("orb")


def test_everything_of_a_domain_is_in_a_folder_of_its_own(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    assert folder.key("orb2") == tmp_path / "orb2" / "key.pem"
    assert folder.database("orb2") == f"sqlite:///{tmp_path}/orb2/records.db"
    assert folder.storage("orb2") == str(tmp_path / "orb2" / "contents")
    assert folder.log("broker") == tmp_path / "logs" / "broker.log"


def test_two_cannot_hold_it(tmp_path: Path) -> None:
    first, second = DataFolder(tmp_path / "new"), DataFolder(tmp_path / "new")
    with first.held(), pytest.raises(BadSetting, match="run by another process"), second.held():
        pass
    with DataFolder(tmp_path / "new").held():
        pass


def test_a_folder_that_cannot_be_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadSetting, match="cannot be used"), DataFolder(tmp_path / "file" / "data").held():
        pass


def test_the_brokers_password_is_made_once_and_is_the_owners_alone(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "new")
    secret = folder.broker_secret()
    assert len(secret) >= 32
    assert DataFolder(tmp_path / "new").broker_secret() == secret
    assert DataFolder(tmp_path / "another").broker_secret() != secret
    assert (tmp_path / "new" / "broker.secret").stat().st_mode & 0o777 == 0o600
    (tmp_path / "file").touch()
    with pytest.raises(BadSetting, match="cannot be used"):
        DataFolder(tmp_path / "file" / "data").broker_secret()
