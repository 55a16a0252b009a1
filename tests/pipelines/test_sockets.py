from __future__ import annotations

import socket
import subprocess
import sys
import uuid
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from penstock.pipelines.sockets import LONGEST, maybe_python


def test_a_workspace_has_room_for_the_longest_name_of_a_socket() -> None:
    name = str(Path("/" + (LONGEST - 1) * "x", "tmp", f".{uuid.uuid4()}.sock"))
    with socket.socket(socket.AF_UNIX) as bound, pytest.raises(FileNotFoundError):
        bound.bind(name)
    with socket.socket(socket.AF_UNIX) as bound, pytest.raises(OSError, match="too long"):
        bound.bind(name + "x")


def test_a_longer_one_goes_without() -> None:
    assert maybe_python(Path("/" + LONGEST * "x")) is None


def test_modules_are_run_so_that_they_leave_quietly() -> None:
    with TemporaryDirectory(prefix="penstock-") as short:
        python = maybe_python(Path(short))
        assert python is not None
        Path(short, "asked.py").write_text("import sys; print('pyspark.daemon' in sys.modules, sys.argv[1:])")
        assert _said(python, "-m", "asked", "this", folder=short) == "True ['this']"
        assert _said(python, "-c", "import sys; print(sys.executable)", folder=short) == sys.executable


def _said(*command: Path | str, folder: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()
