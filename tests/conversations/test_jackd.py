"""jackd, a beanstalk client of Node, with beanstalkd and with Penstock: its stories are in jackd.cjs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conversations.node import installed
from tests.conversations.programs import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.servers.running import Running

SCRIPT = Path(__file__).with_name("jackd.cjs")
STORIES = re.findall(r"^  async (\w+)\(client\)", SCRIPT.read_text(), re.MULTILINE)

#: Pinned, as requirements.lock pins what is Python's.
JACKD = "jackd@2.2.2"


@pytest.fixture(scope="session")
def modules(run_folder: Path, real_program: Callable[[str], Path]) -> Path:
    """The folder in which jackd is installed, once for the run."""
    return installed(JACKD, npm=real_program("npm"), run_folder=run_folder)


def test_jackd_tells(
    tube_server: Running, modules: Path, tube: str, real_program: Callable[[str], Path], tmp_path: Path
) -> None:
    place: list[str | Path] = [tube_server.host, str(tube_server.port), tube]
    told = run(
        [real_program("node"), SCRIPT, *place], folder=tmp_path, environment={"NODE_PATH": str(modules)}
    )
    assert told.split() == STORIES
