from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from penstock.errors import BadSetting
from penstock.store.folder import held, secret, write_private

if TYPE_CHECKING:
    from pathlib import Path

HOLDING = """
import sys
from pathlib import Path
from penstock.store.folder import held
with held(Path(sys.argv[1]), busy=lambda: "busy"):
    print("held", flush=True)
    sys.stdin.read()
"""


def busy() -> str:
    return "somebody was here before you"


def test_whoever_comes_second_is_told_so(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    with held(folder, busy), pytest.raises(BadSetting, match="before you"), held(folder, busy):
        pass
    with held(folder, busy):
        pass


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDING, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:  # noqa: S603  ours
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(BadSetting), held(tmp_path, busy):
            pass
        os.kill(other.pid, signal.SIGKILL)
        other.wait()
        with held(tmp_path, busy):
            pass


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadSetting, match="cannot be used"), held(tmp_path / "file" / "folder", busy):
        pass


def test_a_secret_is_made_once_and_is_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "new" / "broker.secret"
    found = secret(file)
    assert len(found) > 40
    assert secret(file) == found
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_secret_that_was_cut_short_is_made_anew(tmp_path: Path) -> None:
    file = tmp_path / "broker.secret"
    # As a process that died while it wrote has left it.
    file.with_suffix(".new").write_text("ab")
    assert len(secret(file)) > 40


def test_a_secret_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "broker.secret").mkdir()
    with pytest.raises(BadSetting, match=r"broker\.secret cannot be used"):
        secret(tmp_path / "broker.secret")


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "places.json"
    write_private(file, "one")
    write_private(file, "two")
    assert (file.read_text(), [each.name for each in tmp_path.iterdir()]) == ("two", ["places.json"])
