from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING

import pytest

from penstock.errors import StoreLocked
from penstock.store.lock import Lock

if TYPE_CHECKING:
    from pathlib import Path


def test_it_names_its_owner_to_whoever_is_refused(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "lock")
    with pytest.raises(StoreLocked, match=f"{tmp_path} is in use by process {os.getpid()}: stop that one"):
        Lock(tmp_path / "lock")
    lock.release()
    Lock(tmp_path / "lock").release()


def test_what_an_earlier_owner_left_means_nothing(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("1234567890\n")
    lock = Lock(tmp_path / "lock")
    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    assert repr(lock) == f"<Lock {tmp_path / 'lock'}>"
    lock.release()


def test_a_disk_that_fails_is_no_other_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space")

    monkeypatch.setattr(fcntl, "flock", fail)
    with pytest.raises(OSError, match="No space"):
        Lock(tmp_path / "lock")
