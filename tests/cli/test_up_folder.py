from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from penstock.cli.up_folder import UpFolder
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from pathlib import Path


def test_a_second_start_is_told_where_the_first_one_is(tmp_path: Path) -> None:
    folder = UpFolder(tmp_path / "data")
    with folder.held():
        with pytest.raises(BadSetting, match=r"up already with the data in .*/data; stop it"), folder.held():
            pass
        folder.tell({"panel": "http://localhost:15672/"})
        with pytest.raises(BadSetting, match="http://localhost:15672/; stop it"), folder.held():
            pass
    # Afterwards it is free, and nothing is told of the one that went.
    with folder.held():
        assert folder.told() == {}


def test_a_folder_that_cannot_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadSetting, match="cannot be used"), UpFolder(tmp_path / "file").held():
        pass


def test_the_secret_is_made_once_and_for_its_owner_alone(tmp_path: Path) -> None:
    folder = UpFolder(tmp_path)
    secret = folder.gateway_secret().read_bytes()
    assert len(secret) > 40
    assert folder.gateway_secret().read_bytes() == secret
    assert os.stat(folder.gateway_secret()).st_mode & 0o077 == 0  # noqa: PTH116


def test_each_program_has_a_log(tmp_path: Path) -> None:
    assert UpFolder(tmp_path).log("broker") == tmp_path / "logs" / "broker.log"
