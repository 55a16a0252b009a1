from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest

from examples.keno.folder import Folder
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from pathlib import Path


def test_a_game_is_run_once_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "data"
    held, again = Folder(path).held(), Folder(path).held()
    with held, pytest.raises(BadSetting, match="is run by another process"), again:
        pass
    with Folder(path).held():
        pass


def test_a_secret_is_made_once_and_is_nobody_elses(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data")
    with folder.held():
        secret = folder.secret("sessions")
        assert len(secret) >= 32
        assert folder.secret("sessions") == secret != folder.secret("other")
    assert stat.S_IMODE((folder.path / "sessions.secret").stat().st_mode) == 0o600


def test_what_cannot_be_a_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadSetting, match="cannot be used"), Folder(tmp_path / "file").held():
        pass
