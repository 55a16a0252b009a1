from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from penstock.cli.did_starting import started_domains
from penstock.errors import DidError

if TYPE_CHECKING:
    from pathlib import Path

#: Says what `penstock did up` says, and writes down how it ended.
UP = """
import signal, sys, pathlib
def end(*_):
    pathlib.Path({ended!r}).write_text(" ".join(sys.argv[1:]))
    sys.exit()
signal.signal(signal.SIGTERM, end)
print("port 8326 is taken: orb is http://127.0.0.1:8327", flush=True)
print("penstock is ready: http://127.0.0.1:8327 http://127.0.0.1:8328", flush=True)
print("Spark is ready after 9 s", flush=True)
signal.pause()
"""


def test_domains_are_there_as_long_as_they_are_needed(tmp_path: Path) -> None:
    ended, told = tmp_path / "ended", list[str]()
    command = [sys.executable, "-c", UP.format(ended=str(ended))]
    with started_domains(2, tmp_path / "data", told.append, command) as urls:
        assert urls == ["http://127.0.0.1:8327", "http://127.0.0.1:8328"]
        assert not ended.exists()
    assert told[0].startswith("port 8326 is taken")
    assert ended.read_text().startswith(f"--domains 2 --data {tmp_path}/data --batch-writer-timeout")


def test_domains_that_do_not_start_tell_why(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "print('penstock: Spark is not installed', flush=True)"]
    with (
        pytest.raises(DidError, match=r"have not started: Spark is not installed"),
        started_domains(1, tmp_path, print, command),
    ):
        pass
